/** The keyboard shortcuts of the console and of the open page. */
import { Kbd, Text } from '@mantine/core';
import { Fragment } from 'react';
import { Dialog } from '../dialog/dialog.tsx';
import classes from './help-sheet.module.css';
import { printedKeys, type Shortcut } from './keys.ts';
import { isMac, type ShortcutGroup, useShortcutGroups } from './use-shortcuts.ts';

interface HelpSheetProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function HelpSheet({ opened, onClose }: HelpSheetProps) {
  const groups = mergeByTitle(useShortcutGroups());
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts" size="xl">
      <div className={classes.groups}>
        {groups.map(({ title, shortcuts }) => (
          <section key={title} aria-label={title} className={classes.group}>
            <Text size="sm" fw={600} mb={4}>
              {title}
            </Text>
            <dl className={classes.list}>
              {shortcuts.map(({ keys, label }) => (
                <Fragment key={keys}>
                  <dt>
                    <Keys keys={keys} />
                  </dt>
                  <dd>{label}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Keys({ keys }: Pick<Shortcut, 'keys'>) {
  return printedKeys(keys, isMac).map((step, index) => (
    <Fragment key={step.join('+')}>
      {index > 0 && ' then '}
      {step.map((key) => (
        <Kbd key={key} size="xs">
          {key}
        </Kbd>
      ))}
    </Fragment>
  ));
}

/** The last registered group, that of the open page, is first. */
function mergeByTitle(groups: readonly ShortcutGroup[]): readonly ShortcutGroup[] {
  const merged = new Map<string, Map<string, Shortcut>>();
  for (const { title, shortcuts } of groups) {
    const own = merged.get(title) ?? new Map<string, Shortcut>();
    for (const shortcut of shortcuts) own.set(shortcut.keys, shortcut);
    merged.set(title, own);
  }
  return [...merged].map(([title, own]) => ({ title, shortcuts: [...own.values()] })).reverse();
}
