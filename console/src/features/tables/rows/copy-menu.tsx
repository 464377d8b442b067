/** Copies the chosen rows as JSON, CSV or SQL. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Button, Menu } from '@mantine/core';
import { notify } from '../../../ui/feedback/notifications.tsx';
import { counted } from '../../../ui/format.ts';
import { CopyIcon } from '../../../ui/page/icons.tsx';
import { copyFormats, copyText } from '../row-model/copy-rows.ts';
import type { RowsScope } from '../row-model/rows-scope.ts';

interface CopyMenuProps {
  readonly scope: Pick<RowsScope, 'chosen' | 'columns'>;
  readonly info: TableInfo;
}

export function CopyMenu({ scope: { chosen, columns }, info }: CopyMenuProps) {
  return (
    <Menu position="bottom-start" shadow="md">
      <Menu.Target>
        <Button size="compact-sm" variant="default" leftSection={<CopyIcon size={14} />}>
          Copy as
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {copyFormats.map((format) => (
          <Menu.Item
            key={format}
            onClick={() =>
              void copy(copyText(format, chosen, columns, info), `${counted(chosen.length, 'row')} copied as ${format}`)
            }
          >
            {format}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Copies text and reports the result. */
export async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify({ title: done });
  } catch {
    notify({ title: 'Not copied', text: 'The browser permits copying on pages with HTTPS or on localhost only.' });
  }
}
