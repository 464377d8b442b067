/** Opens a page of the documentation in a drawer. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { BookIcon } from '../page/icons.tsx';
import { onDemand } from '../page/on-demand.tsx';
import type { DocsPlace } from './docs-pages.ts';

const DocsDrawer = onDemand(async () => (await import('./docs-drawer.tsx')).DocsDrawer);

interface DocsLinkProps {
  readonly place: DocsPlace;
  /** The concept that the documentation explains, such as `Event triggers`. */
  readonly about: string;
}

export function DocsLink({ place, about }: DocsLinkProps) {
  const [opened, setOpened] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const label = `Documentation: ${about}`;
  return (
    <>
      <Tooltip label="Documentation">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={label}
          aria-haspopup="dialog"
          onClick={() => {
            setOpened(true);
            setWasOpened(true);
          }}
        >
          <BookIcon size={18} />
        </ActionIcon>
      </Tooltip>
      {wasOpened && <DocsDrawer place={opened ? place : undefined} onClose={() => setOpened(false)} />}
    </>
  );
}
