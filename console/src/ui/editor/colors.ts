/** The colors of editors, from the variables of the theme. They are those of `JsonView`. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { EditorView, type Extension } from '@uiw/react-codemirror';

const syntax = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.definitionKeyword, tags.modifier],
    color: 'var(--joinery-keyword)',
  },
  { tag: [tags.propertyName, tags.attributeName, tags.labelName], color: 'var(--joinery-key)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--joinery-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--joinery-literal)' },
  { tag: [tags.typeName, tags.className], color: 'var(--joinery-type)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--mantine-color-error)' },
]);

const frame = {
  '&': { color: 'var(--mantine-color-text)' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { color: 'var(--mantine-color-dimmed)', border: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--mantine-primary-color-light-hover)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--joinery-line)',
    backgroundColor: 'var(--joinery-surface)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--mantine-primary-color-filled)',
    color: '#ffffff',
  },
  '.cm-panels': { backgroundColor: 'var(--joinery-surface)', color: 'var(--mantine-color-text)' },
};

export function editorColors(isDark: boolean): Extension {
  return [EditorView.theme(frame, { dark: isDark }), syntaxHighlighting(syntax)];
}
