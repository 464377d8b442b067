/** The value of a cell on one line. */
import { linkTo } from '../../../router/location.ts';
import { FollowIcon } from '../../../ui/page/icons.tsx';
import { isNull, isPlain, shortText } from '../row-model/row-values.ts';
import classes from './grid.module.css';

/** Maximum length of a value. Details show it completely. */
const SHOWN = 200;

interface CellValueProps {
  readonly value: unknown;
  /** Shown in place of null. */
  readonly absent?: string;
}

export function CellValue({ value, absent = 'null' }: CellValueProps) {
  if (isNull(value)) return <span className={classes.absent}>{absent}</span>;
  if (value === '') return <span className={classes.absent}>empty</span>;
  const text = shortText(value).slice(0, SHOWN);
  // A line break would hide the rest of the text.
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ');
  return <span className={!isPlain(value) ? `${classes.value} ${classes.json}` : classes.value}>{line}</span>;
}

interface FollowLinkProps {
  readonly to: string;
  /** The table of the row. */
  readonly table: string;
}

/** The link to the row that a foreign key references. */
export function FollowLink({ to, table }: FollowLinkProps) {
  const { href, onClick } = linkTo(to);
  const label = `Open in ${table}`;
  return (
    <a className={classes.follow} href={href} onClick={onClick} tabIndex={-1} aria-label={label} title={label}>
      <FollowIcon size={14} />
    </a>
  );
}
