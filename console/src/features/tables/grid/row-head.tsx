/** The first cell of a row: its checkbox and the button that opens it. */
import { Checkbox } from '@mantine/core';
import { CrossIcon, ExpandIcon } from '../../../ui/page/icons.tsx';
import classes from './grid.module.css';

interface SavedRowProps {
  /** Accessible name of the row. */
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly onOpen: () => void;
}

interface NewRowProps {
  readonly name: string;
  readonly onRemove: () => void;
}

export function RowHead(props: SavedRowProps | NewRowProps) {
  if ('onRemove' in props) {
    return (
      <button
        type="button"
        className={classes.button}
        tabIndex={-1}
        aria-label={`Remove ${props.name}`}
        onClick={props.onRemove}
      >
        <CrossIcon size={14} />
      </button>
    );
  }
  const { name, isChosen, onChoose, onOpen } = props;
  return (
    <>
      <input
        type="checkbox"
        className={classes.check}
        tabIndex={-1}
        aria-label={`Choose ${name}`}
        checked={isChosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <button
        type="button"
        className={classes.button}
        tabIndex={-1}
        aria-haspopup="dialog"
        aria-label={`Open ${name}`}
        onClick={onOpen}
      >
        <ExpandIcon size={14} />
      </button>
    </>
  );
}

interface SelectLoadedProps {
  readonly count: number;
  readonly isAll: boolean;
  readonly isSome: boolean;
  readonly onChange: (isAll: boolean) => void;
}

export function SelectLoaded({ count, isAll, isSome, onChange }: SelectLoadedProps) {
  const label = `Choose the ${count.toLocaleString('en')} loaded rows`;
  return (
    <Checkbox
      size="xs"
      tabIndex={-1}
      aria-label={label}
      title={label}
      checked={isAll}
      indeterminate={!isAll && isSome}
      onChange={() => onChange(!isAll)}
    />
  );
}
