/** The frame around all pages: header, navigation, content. */
import { ActionIcon, AppShell, Burger, Group, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { linkTo, useLocation } from '../../router/location.ts';
import { BannerInset } from '../../ui/feedback/banner.ts';
import { ExitIcon } from '../../ui/page/icons.tsx';
import type { AccessState } from './access.tsx';
import { Banners } from './banners.tsx';
import mark from './mark.svg';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';
import { ThemeSwitch } from './theme-switch.tsx';

export function Shell({ settings, onSignOut, children }: AccessState & { readonly children: ReactNode }) {
  const [opened, menu] = useDisclosure(false);
  const { path } = useLocation();
  const main = useFocusOnMove(path);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
      classNames={{ header: classes.header ?? '', navbar: classes.navbar ?? '' }}
    >
      <a className="skip-link" href="#page">
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close the navigation' : 'Open the navigation'}
              aria-expanded={opened}
            />
            <a className={classes.brand} {...linkTo('/')}>
              <img src={mark} alt="" width={26} height={26} />
              <Text span fw={650}>
                Joinery
              </Text>
            </a>
          </Group>
          <Group gap={4} wrap="nowrap">
            <ThemeSwitch />
            {onSignOut !== undefined && (
              <Tooltip label="Sign out">
                <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Sign out" onClick={onSignOut}>
                  <ExitIcon />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <Navigation path={path} onMove={menu.close} />
        <Text size="xs" c="dimmed" mt="auto" px="sm">
          Version {settings.version}
        </Text>
      </AppShell.Navbar>
      <AppShell.Main id="page" ref={main} tabIndex={-1}>
        <div className={classes.page}>
          <Banners />
          <BannerInset value={true}>{children}</BannerInset>
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

/** Moves the focus to a new page, so that screen readers announce it and keys work in it. */
function useFocusOnMove(path: string) {
  const main = useRef<HTMLElement>(null);
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    // Within a page the focus stays, for example on a tab.
    if (main.current?.contains(document.activeElement) === false) main.current.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  }, [path]);
  return main;
}
