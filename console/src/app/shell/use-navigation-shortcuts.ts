/** Keys that open the pages of the navigation. */
import { navigate } from '../../router/location.ts';
import { useShortcuts } from '../../ui/shortcuts/use-shortcuts.ts';
import { navigationGroups } from './navigation-groups.tsx';

export function useNavigationShortcuts(): void {
  useShortcuts(
    'Pages',
    navigationGroups.flatMap(({ entries }) =>
      entries.map(({ label, to, keys }) => ({ keys, label, run: () => navigate(to) })),
    ),
  );
}
