/** Colors and component defaults. All text colors have a contrast of at least 4.5 to 1 in both themes. */
import {
  Alert,
  Anchor,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  type MantineColorsTuple,
  Modal,
  Paper,
  Table,
} from '@mantine/core';

const pine: MantineColorsTuple = [
  '#e8f6f2',
  '#d2ebe4',
  '#a4d7ca',
  '#74c3af',
  '#4db298',
  '#34a68a',
  '#219f81',
  '#108a6e',
  '#0a7560',
  '#00604e',
];

const slate: MantineColorsTuple = [
  '#d9dee1',
  '#b7c0c5',
  '#8d989e',
  '#6b767c',
  '#3d474c',
  '#2f373b',
  '#232a2d',
  '#1a1f21',
  '#151a1b',
  '#101314',
];

export const theme = createTheme({
  colors: { pine, dark: slate },
  primaryColor: 'pine',
  primaryShade: 8,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  components: {
    Alert: Alert.extend({
      styles: {
        root: { background: 'var(--joinery-surface)' },
        title: { color: 'var(--mantine-color-text)' },
      },
    }),
    // Links in text must differ from it by more than color.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    Drawer: Drawer.extend({
      defaultProps: { padding: 'lg', closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontSize: '1.125rem', fontWeight: 650, lineHeight: 1.35 } },
    }),
    Modal: Modal.extend({
      defaultProps: { padding: 'lg', closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontSize: '1.125rem', fontWeight: 650, lineHeight: 1.35 } },
    }),
    Paper: Paper.extend({ styles: { root: { borderColor: 'var(--joinery-line)' } } }),
    Table: Table.extend({ defaultProps: { borderColor: 'var(--joinery-line)' } }),
  },
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' } } },
});

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b646d',
    '--mantine-color-placeholder': '#6f7881',
    '--mantine-color-error': '#c42525',
    '--joinery-canvas': '#f6f8f8',
    '--joinery-surface': '#ffffff',
    '--joinery-line': '#dfe4e6',
    '--joinery-hover': '#f0f5f4',
    '--joinery-code': '#f4f6f7',
    '--joinery-key': '#0a6a72',
    '--joinery-string': '#8a3b12',
    '--joinery-literal': '#2f4fb5',
    '--joinery-keyword': '#7a2f9e',
    '--joinery-type': '#00604e',
  },
  dark: {
    '--mantine-color-body': '#1a1f21',
    '--mantine-color-dimmed': '#a3adb3',
    '--mantine-color-placeholder': '#8b959b',
    '--mantine-color-error': '#ff8f8f',
    '--joinery-canvas': '#121516',
    '--joinery-surface': '#1a1f21',
    '--joinery-line': '#2f373b',
    '--joinery-hover': '#20272a',
    '--joinery-code': '#141819',
    '--joinery-key': '#6cc7cf',
    '--joinery-string': '#e6a87c',
    '--joinery-literal': '#9db4ff',
    '--joinery-keyword': '#d3a6f0',
    '--joinery-type': '#74c3af',
  },
});
