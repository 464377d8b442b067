/** The panes of the explorer: resizable beside each other, or below each other in a narrow window. */
import type { ReactNode } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { useNarrow } from '../../ui/page/use-narrow.ts';
import classes from './explore.module.css';

interface WorkbenchProps {
  /** Undefined while no side panel is open. */
  readonly side: ReactNode | undefined;
  readonly operation: ReactNode;
  readonly request: ReactNode;
  readonly response: ReactNode;
  readonly plan: ReactNode;
}

export function Workbench({ side, operation, request, response, plan }: WorkbenchProps) {
  const isNarrow = useNarrow();
  if (isNarrow) {
    return (
      <div className={classes.stack}>
        {side !== undefined && <div className={classes.tall}>{side}</div>}
        <div className={classes.tall}>{operation}</div>
        <div className={classes.low}>{request}</div>
        <div className={classes.tall}>{response}</div>
        <div className={classes.free}>{plan}</div>
      </div>
    );
  }
  return (
    <Split id={side === undefined ? 'columns' : 'columns-side'} orientation="horizontal">
      {side !== undefined && (
        <>
          <Panel id="side" defaultSize="24" minSize="14rem" className={classes.panel ?? ''}>
            {side}
          </Panel>
          <Separator className={classes.upright ?? ''} aria-label="Resize the side panel" />
        </>
      )}
      <Column id="edit" top="operation" upper={operation} bottom="request" lower={request} />
      <Separator className={classes.upright ?? ''} aria-label="Resize the response" />
      <Column id="read" top="response" upper={response} bottom="plan" lower={plan} />
    </Split>
  );
}

interface ColumnProps {
  readonly id: string;
  /** Names of the panes. */
  readonly top: string;
  readonly bottom: string;
  readonly upper: ReactNode;
  readonly lower: ReactNode;
}

/** Two panes below each other. */
function Column({ id, top, bottom, upper, lower }: ColumnProps) {
  return (
    <Panel id={id} minSize="16rem">
      <Split id={id} orientation="vertical">
        <Panel id={top} defaultSize="65" minSize="6rem" className={classes.panel ?? ''}>
          {upper}
        </Panel>
        <Separator className={classes.level ?? ''} aria-label={`Resize the ${top === 'response' ? 'plan' : top}`} />
        <Panel id={bottom} minSize="3rem" className={classes.panel ?? ''}>
          {lower}
        </Panel>
      </Split>
    </Panel>
  );
}

interface SplitProps {
  /** The sizes are stored in this browser by this id. */
  readonly id: string;
  readonly orientation: 'horizontal' | 'vertical';
  readonly children: ReactNode;
}

function Split({ id, orientation, children }: SplitProps) {
  const sizes = useDefaultLayout({ id: `joinery.explore.${id}`, storage: window.localStorage });
  return (
    <Group key={id} id={id} orientation={orientation} className={classes.split ?? ''} {...sizes}>
      {children}
    </Group>
  );
}
