/** The buttons that import a file into the table and export its rows. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { onDemand } from '../../../ui/page/on-demand.tsx';
import type { RowsScope } from '../row-model/rows-scope.ts';

const ImportDrawer = onDemand(async () => (await import('../import/import-drawer.tsx')).ImportDrawer, Loading);
const ExportDialog = onDemand(async () => (await import('../export/export-dialog.tsx')).ExportDialog, Loading);

interface TransferButtonsProps {
  readonly scope: RowsScope;
  /** Number of rows, as far as it is known. */
  readonly total: number | undefined;
}

type Transfer = 'import' | 'export';

export function TransferButtons({ scope, total }: TransferButtonsProps) {
  const [open, setOpen] = useState<Transfer>();
  // The code of both is loaded at the first click, and the closed ones stay mounted for their transitions.
  const [used, setUsed] = useState<readonly Transfer[]>([]);
  const show = (transfer: Transfer): void => {
    setUsed([...new Set([...used, transfer])]);
    setOpen(transfer);
  };
  const close = (): void => setOpen(undefined);
  const { info, session, columns } = scope;
  return (
    <>
      {info.insertable && session === undefined && (
        <Button size="xs" variant="default" aria-haspopup="dialog" onClick={() => show('import')}>
          Import
        </Button>
      )}
      <ReasonButton
        size="xs"
        variant="default"
        aria-haspopup="dialog"
        reason={columns.length === 0 ? 'No column is shown.' : undefined}
        onClick={() => show('export')}
      >
        Export
      </ReasonButton>
      {used.includes('import') && <ImportDrawer opened={open === 'import'} scope={scope} onClose={close} />}
      {used.includes('export') && (
        <ExportDialog opened={open === 'export'} scope={scope} total={total} onClose={close} />
      )}
    </>
  );
}
