/** The drawer at the right edge for the details of an object or a form. */
import { Drawer, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { unsavedWork } from '../form/unsaved-work.ts';
import { useWorkScope, WorkScopeContext } from '../form/use-unsaved-work.ts';
import { useEscape } from './use-escape.ts';
import { useLast } from './use-last.ts';

/** CSS widths. A narrow window is covered completely. */
const widths = {
  form: 'min(46rem, 100%)',
  details: 'min(46rem, 100%)',
  wide: 'min(66rem, 100vw)',
} as const;

interface DetailDrawerProps<Subject> {
  /** The object to show. Undefined or false closes the drawer, which still shows the last one while it closes. */
  readonly subject: Subject | false | undefined;
  readonly title: string | ((subject: Subject) => string);
  readonly size: keyof typeof widths;
  readonly onClose: () => void;
  readonly children: (subject: Subject) => ReactNode;
}

/**
 * Escape closes the drawer, and the focus returns to the control that opened it. With unsaved changes in it, closing
 * requires a confirmation. Each opening mounts new content.
 */
export function DetailDrawer<Subject>({ subject, title, size, onClose, children }: DetailDrawerProps<Subject>) {
  const opened = subject !== undefined && subject !== false;
  const shown = useLast(opened ? subject : undefined);
  const [openings, setOpenings] = useState({ opened, count: 0 });
  if (openings.opened !== opened) setOpenings({ opened, count: openings.count + (opened ? 1 : 0) });
  const scope = useWorkScope();
  const close = (): void => unsavedWork.leave(scope, onClose);
  useEscape(opened, close);
  const heading = typeof title === 'string' ? title : shown && title(shown);
  return (
    <Drawer opened={opened} onClose={close} closeOnEscape={false} position="right" size={widths[size]} title={heading}>
      {shown !== undefined && (
        <WorkScopeContext value={scope}>
          <Stack gap="xl" pb="xl" key={openings.count}>
            {children(shown)}
          </Stack>
        </WorkScopeContext>
      )}
    </Drawer>
  );
}
