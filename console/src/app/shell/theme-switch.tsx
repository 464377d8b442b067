/** Switches between light and dark. The default is the setting of the system. */
import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { MoonIcon, SunIcon } from '../../ui/page/icons.tsx';

export function useThemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const shown = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = shown === 'light' ? 'dark' : 'light';
  return { shown, label: `Switch to the ${other} theme`, toggle: () => setColorScheme(other) };
}

export function ThemeSwitch() {
  const { shown, label, toggle } = useThemeSwitch();
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={toggle}>
        {shown === 'light' ? <MoonIcon /> : <SunIcon />}
      </ActionIcon>
    </Tooltip>
  );
}
