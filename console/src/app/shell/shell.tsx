/** The frame around all pages: header, navigation, table tree, content. */
import { ActionIcon, AppShell, Burger, Group, Kbd, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure, useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { ProjectIndicator } from '../../features/project/project-indicator.tsx';
import { linkTo, useLocation } from '../../router/location.ts';
import { BannerInset } from '../../ui/feedback/banner.ts';
import { ExitIcon, KeyboardIcon, SearchIcon, SidebarIcon } from '../../ui/page/icons.tsx';
import { onDemand } from '../../ui/page/on-demand.tsx';
import { useNarrow } from '../../ui/page/use-narrow.ts';
import { isMac, useShortcuts } from '../../ui/shortcuts/use-shortcuts.ts';
import type { AccessState } from './access.tsx';
import { ActivityBar } from './activity-bar.tsx';
import { Banners } from './banners.tsx';
import mark from './mark.svg';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';
import { ThemeSwitch, useThemeSwitch } from './theme-switch.tsx';
import { useNavigationShortcuts } from './use-navigation-shortcuts.ts';

// Loaded when they are opened.
const loadPalette = () => import('../palette/palette.tsx');
const Palette = onDemand(async () => (await loadPalette()).Palette);
const HelpSheet = onDemand(async () => (await import('../../ui/shortcuts/help-sheet.tsx')).HelpSheet);
const loadTree = () => import('../tables/table-tree-panel.tsx');
const TableTreePanel = onDemand(async () => (await loadTree()).TableTreePanel);

const PRELOAD_MS = 1_500;

/** In pixels. */
const WIDTHS = { navigation: 204, rail: 56, tree: 244 } as const;

export function Shell({ settings, user, onSignOut, children }: AccessState & { readonly children: ReactNode }) {
  const [menuOpened, menu] = useDisclosure(false);
  const [paletteOpened, palette] = useDisclosure(false);
  const [helpOpened, help] = useDisclosure(false);
  const { path } = useLocation();
  const main = useFocusOnMove(path);
  const { isRail, hasTree, isTreeShown, toggleRail, setTreeHidden } = useSidebar(path);
  const theme = useThemeSwitch();
  useNavigationShortcuts();
  usePreload();
  useShortcuts('Everywhere', [
    { keys: 'Mod+K', label: 'Search pages, tables and commands', run: palette.toggle },
    { keys: '?', label: 'Show the keyboard shortcuts', run: help.open },
    { keys: '[', label: 'Expand or collapse the navigation', run: toggleRail },
    { keys: ']', label: 'Show or hide the list of tables', run: () => setTreeHidden(isTreeShown) },
  ]);
  const commands = [
    { id: 'command theme', kind: 'Command', label: theme.label, detail: 'dark, light', target: theme.toggle },
    { id: 'command help', kind: 'Command', label: 'Show the keyboard shortcuts', detail: '?', target: help.open },
    ...(onSignOut === undefined
      ? []
      : [{ id: 'command sign-out', kind: 'Command', label: 'Sign out', detail: user ?? '', target: onSignOut }]),
  ];
  const width = (isRail ? WIDTHS.rail : WIDTHS.navigation) + (isTreeShown ? WIDTHS.tree : 0);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width, breakpoint: 'sm', collapsed: { mobile: !menuOpened } }}
      padding={{ base: 'md', sm: 'lg' }}
      transitionDuration={0}
      classNames={{ header: classes.header ?? '', navbar: classes.navbar ?? '' }}
    >
      <a className="skip-link" href="#page">
        Skip to the page
      </a>
      <AppShell.Header>
        <ActivityBar />
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={menuOpened}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={menuOpened ? 'Close the navigation' : 'Open the navigation'}
              aria-expanded={menuOpened}
            />
            <a className={classes.brand} {...linkTo('/')}>
              <img src={mark} alt="" width={24} height={24} />
              <Text span fw={650}>
                Joinery
              </Text>
            </a>
          </Group>
          <UnstyledButton className={classes.search} onClick={palette.open} aria-haspopup="dialog">
            <SearchIcon size={16} />
            <span>Search pages and tables</span>
            <Kbd size="xs" aria-hidden="true">
              {isMac ? '⌘ K' : 'Ctrl K'}
            </Kbd>
          </UnstyledButton>
          <Group gap={4} wrap="nowrap">
            {settings.project !== undefined && <ProjectIndicator {...settings.project} />}
            <Tooltip label="Keyboard shortcuts">
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label="Keyboard shortcuts"
                visibleFrom="sm"
                onClick={help.open}
              >
                <KeyboardIcon />
              </ActionIcon>
            </Tooltip>
            <ThemeSwitch />
            {onSignOut !== undefined && (
              <Tooltip label={user === undefined ? 'Sign out' : `Sign out ${user}`}>
                <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Sign out" onClick={onSignOut}>
                  <ExitIcon />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Pages">
        <div className={classes.columns}>
          <div className={`${classes.navigation} ${isRail ? classes.rail : ''}`}>
            <Navigation path={path} isRail={isRail} onMove={menu.close} />
            <div className={classes.foot}>
              {!isRail && (
                <Text size="xs" c="dimmed">
                  Version {settings.version}
                </Text>
              )}
              <SidebarToggles
                isRail={isRail}
                onToggleRail={toggleRail}
                isTreeHidden={hasTree && !isTreeShown}
                onShowTree={() => setTreeHidden(false)}
              />
            </div>
          </div>
          {isTreeShown && (
            <div className={classes.tree}>
              <TableTreePanel path={path} onMove={menu.close} onClose={() => setTreeHidden(true)} />
            </div>
          )}
        </div>
      </AppShell.Navbar>
      <AppShell.Main id="page" ref={main} tabIndex={-1}>
        <div className={classes.page} data-wide={isWide(path)}>
          <Banners />
          <BannerInset value={true}>{children}</BannerInset>
        </div>
      </AppShell.Main>
      {paletteOpened && <Palette opened commands={commands} onClose={palette.close} />}
      {helpOpened && <HelpSheet opened onClose={help.close} />}
    </AppShell>
  );
}

interface SidebarTogglesProps {
  readonly isRail: boolean;
  readonly onToggleRail: () => void;
  readonly isTreeHidden: boolean;
  readonly onShowTree: () => void;
}

function SidebarToggles({ isRail, onToggleRail, isTreeHidden, onShowTree }: SidebarTogglesProps) {
  const button = (label: string, icon: ReactNode, onClick: () => void) => (
    <Tooltip label={label} position="right">
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick} visibleFrom="sm">
        {icon}
      </ActionIcon>
    </Tooltip>
  );
  return (
    <Group gap={4}>
      {isTreeHidden && button('Show the list of tables', <SearchIcon size={16} />, onShowTree)}
      {button(isRail ? 'Expand the navigation' : 'Collapse the navigation', <SidebarIcon size={16} />, onToggleRail)}
    </Group>
  );
}

/** Loads the code of the table list and the palette when the first page is at rest, so that they open at once. */
function usePreload(): void {
  useEffect(() => {
    const timer = setTimeout(() => void Promise.all([loadTree(), loadPalette()]).catch(() => undefined), PRELOAD_MS);
    return () => clearTimeout(timer);
  }, []);
}

/** Pages that use the whole width of the window. */
function isWide(path: string): boolean {
  return /^\/(explore|sql)$|^\/data\/[^/]+\/(diagram$|[^/]+\/[^/]+\/)/.test(path);
}

/** The navigation is a rail of icons where the table tree needs its width, unless the user has chosen otherwise. */
function useSidebar(path: string) {
  const narrow = useNarrow();
  const isRoomy = useMediaQuery('(min-width: 1500px)', false, { getInitialValueInEffect: false });
  const [chosen, setChosen] = useLocalStorage<'rail' | 'names' | undefined>({
    key: 'joinery:navigation',
    defaultValue: undefined,
    getInitialValueInEffect: false,
  });
  const [isTreeHidden, setTreeHidden] = useLocalStorage({
    key: 'joinery:tables-hidden',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const hasTree = /^\/(data|sql)(\/|$)/.test(path);
  const isTreeShown = hasTree && !isTreeHidden;
  const isRail = !narrow && (chosen === undefined ? isTreeShown && !isRoomy : chosen === 'rail');
  return {
    hasTree,
    isTreeShown,
    isRail,
    setTreeHidden,
    toggleRail: () => setChosen(isRail ? 'names' : 'rail'),
  };
}

/** Moves the focus to a new page, so that screen readers announce it and keys work in it. */
function useFocusOnMove(path: string) {
  const main = useRef<HTMLElement>(null);
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    // Within a page the focus stays, for example on a tab. In the table tree it stays for the next key.
    const { activeElement } = document;
    const stays = main.current?.contains(activeElement) === true || activeElement?.getAttribute('role') === 'treeitem';
    if (!stays) main.current?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  }, [path]);
  return main;
}
