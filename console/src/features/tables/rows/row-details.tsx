/** Drawer with all values of a row, links and actions. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Anchor, Button, CopyButton, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { parseExactly, printPretty } from '../../../api/exact-json.ts';
import { linkTo } from '../../../router/location.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { JsonView } from '../../../ui/page/json-view.tsx';
import { isNull, isPlain, type Row } from '../row-model/row-values.ts';

interface RowDetailsProps {
  /** Undefined closes the drawer. */
  readonly row: Row | undefined;
  readonly titleOf: (row: Row) => string;
  readonly info: TableInfo;
  readonly columns: readonly string[];
  readonly linkOf: (row: Row, column: string) => string | undefined;
  /** Links to the rows of relationships. */
  readonly related: (row: Row) => ReactNode;
  /** Undefined when not possible. */
  readonly onEdit: ((row: Row) => void) | undefined;
  readonly onDelete: ((row: Row) => void) | undefined;
  readonly onClose: () => void;
}

export function RowDetails(props: RowDetailsProps) {
  const { row, titleOf, info, columns, linkOf, related, onEdit, onDelete, onClose } = props;
  return (
    <DetailDrawer subject={row} title={titleOf} size="details" onClose={onClose}>
      {(shown) => (
        <>
          <Group gap="xs">
            {onEdit !== undefined && (
              <Button size="xs" onClick={() => onEdit(shown)}>
                Edit
              </Button>
            )}
            {onDelete !== undefined && (
              <Button size="xs" variant="default" onClick={() => onDelete(shown)}>
                Delete
              </Button>
            )}
            <CopyButton value={printPretty(shown)} timeout={1_500}>
              {({ copied, copy }) => (
                <Button size="xs" variant="default" onClick={copy}>
                  {copied ? 'Copied' : 'Copy as JSON'}
                </Button>
              )}
            </CopyButton>
          </Group>
          <DescriptionList
            facts={columns.map((column) => [
              column,
              <FullValue
                key={column}
                name={column}
                value={shown[column]}
                to={linkOf(shown, column)}
                leadsTo={info.foreign_keys.find(({ columns: own }) => Object.hasOwn(own, column))?.table.name}
              />,
            ])}
          />
          {related(shown)}
        </>
      )}
    </DetailDrawer>
  );
}

interface FullValueProps {
  readonly name: string;
  readonly value: unknown;
  readonly to: string | undefined;
  readonly leadsTo: string | undefined;
}

/** Maximum length of a value without a frame. */
const LINE = 120;

function FullValue({ name, value, to, leadsTo }: FullValueProps) {
  if (isNull(value)) return <em>null</em>;
  if (!isPlain(value)) return <JsonView what={name} text={printPretty(value)} />;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text === '') return <em>empty</em>;
  if (text.length > LINE || text.includes('\n')) return <LongText name={name} text={text} />;
  if (to === undefined) return text;
  return (
    <>
      {text}{' '}
      <Anchor {...linkTo(to)} inherit>
        {leadsTo === undefined ? 'Open' : `Open in ${leadsTo}`}
      </Anchor>
    </>
  );
}

function LongText({ name, text }: { readonly name: string; readonly text: string }) {
  try {
    const read = parseExactly(text);
    if (typeof read === 'object' && read !== null) return <JsonView what={name} text={printPretty(read)} />;
  } catch {
    // Most long texts are not JSON.
  }
  return <JsonView what={name} text={text} plain />;
}
