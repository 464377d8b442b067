/** The zoomable canvas of a diagram. */
import '@xyflow/react/dist/style.css';
import { Anchor, Tooltip, UnstyledButton, useComputedColorScheme } from '@mantine/core';
import {
  BaseEdge,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  getBezierPath,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import { useEffect, useMemo, useState } from 'react';
import { linkTo, updateSearch } from '../../router/location.ts';
import { tableLabel, tablePath } from '../../shared/sources/table-paths.ts';
import { FocusIcon } from '../../ui/page/icons.tsx';
import classes from './diagram.module.css';
import { arrange } from './diagram-frames.ts';
import { BOX_WIDTH, boxHeight, SHOWN_COLUMNS } from './diagram-layout.ts';
import type { Diagram, DiagramLine, DiagramTable, DiagramWay } from './diagram-model.ts';
import { MANY_TABLES } from './diagram-parts.ts';

interface DiagramCanvasProps {
  readonly source: string;
  readonly diagram: Diagram;
  /** The focused table. Undefined shows all of them. */
  readonly focused: string | undefined;
}

type Box = Node<{ readonly source: string; readonly table: DiagramTable; readonly focused: boolean }, 'box'>;
type SchemaFrame = Node<{ readonly schema: string }, 'frame'>;
type Line = Edge<{ readonly line: DiagramLine; readonly faint: boolean }, 'line'>;

const nodeTypes = { box: TableBox, frame: FrameBox };
const edgeTypes = { line: RemoteRelationshipLine };

export function DiagramCanvas(props: DiagramCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ source, diagram, focused }: DiagramCanvasProps) {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const { fitView } = useReactFlow();
  // A neighborhood is shown as a whole.
  const centered = diagram.tables.length <= MANY_TABLES ? undefined : focused;
  /** The initial focus, before boxes are measured. */
  const [first] = useState(centered);
  const { places, frames } = useMemo(() => arrange(diagram), [diagram]);
  const nodes = useMemo(
    () => [
      ...frames.map(
        ({ schema, x, y, width, height }): SchemaFrame => ({
          id: `schema ${schema}`,
          type: 'frame',
          position: { x, y },
          width,
          height,
          zIndex: -1,
          data: { schema },
        }),
      ),
      ...diagram.tables.map(
        (table): Box => ({
          id: table.key,
          type: 'box',
          position: places.get(table.key) ?? { x: 0, y: 0 },
          width: BOX_WIDTH,
          height: boxHeight(table),
          data: { source, table, focused: table.key === focused },
        }),
      ),
    ],
    [diagram, places, frames, source, focused],
  );
  const edges = useMemo(() => linesOf(diagram, focused), [diagram, focused]);
  const width = useStore((state) => state.width);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the visible part is kept in a window of another width
  useEffect(() => {
    void fitView({ maxZoom: 1, ...(centered !== undefined && { nodes: [{ id: centered }] }) });
  }, [centered, diagram, width, fitView]);
  return (
    <div className={classes.canvas}>
      <Ends />
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        colorMode={scheme}
        fitView
        fitViewOptions={{ maxZoom: 1, ...(first !== undefined && { nodes: [{ id: first }] }) }}
        minZoom={0.05}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        onlyRenderVisibleElements
        // The wheel scrolls the page. With Ctrl it zooms.
        zoomOnScroll={false}
        preventScrolling={false}
        aria-label={`Diagram of ${source}`}
      >
        <Controls showInteractive={false} aria-label="View of the diagram" />
      </ReactFlow>
    </div>
  );
}

/** Highlights the lines of the focused table. */
function linesOf({ lines }: Diagram, focused: string | undefined): Line[] {
  return lines.map((line) => ({
    id: line.key,
    type: 'line',
    source: line.from,
    target: line.to,
    // Each end shows the cardinality of its table.
    ...(line.there && { markerEnd: endOf(line.there) }),
    ...(line.back && { markerStart: endOf(line.back) }),
    data: { line, faint: focused !== undefined && line.from !== focused && line.to !== focused },
  }));
}

function endOf({ type }: DiagramWay): string {
  return type === 'object' ? 'joinery-one' : 'joinery-many';
}

/** Markers: a bar for one row, a crow's foot for many. */
function Ends() {
  const end = (id: string, strokes: string) => (
    <marker
      id={id}
      viewBox="0 0 14 14"
      refX="13"
      refY="7"
      markerWidth="14"
      markerHeight="14"
      orient="auto-start-reverse"
    >
      <path d={strokes} className={classes.end} />
    </marker>
  );
  return (
    <svg width={0} height={0} className={classes.ends} aria-hidden="true">
      <defs>
        {end('joinery-one', 'M8 2v10')}
        {end('joinery-many', 'M3 7L13 2M3 7L13 12M3 7h10')}
      </defs>
    </svg>
  );
}

function FrameBox({ data: { schema } }: NodeProps<SchemaFrame>) {
  return (
    <div className={classes.frame}>
      <div className={classes.frameName}>{schema}</div>
    </div>
  );
}

function TableBox({ id, data: { source, table, focused } }: NodeProps<Box>) {
  const { fitView } = useReactFlow();
  const { columns, elsewhere } = table;
  const hidden = columns.length - SHOWN_COLUMNS;
  return (
    <div className={`${classes.box} ${focused ? classes.focused : ''}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} className={classes.handle ?? ''} />
      <Anchor
        underline="hover"
        className={`${classes.head} nopan`}
        aria-current={focused ? 'true' : undefined}
        {...linkTo(tablePath(source, table.table, 'relationships'))}
        // Keyboard focus brings a box into view.
        onFocus={(event) => {
          if (event.currentTarget.matches(':focus-visible')) void fitView({ nodes: [{ id }], maxZoom: 1 });
        }}
      >
        {tableLabel(table.table)}
      </Anchor>
      {!focused && (
        <Tooltip label="Show its neighborhood">
          <UnstyledButton
            className={`${classes.around} nopan`}
            aria-label={`Show the neighborhood of ${tableLabel(table.table)}`}
            onClick={() => updateSearch({ table: tableLabel(table.table), around: '1' })}
          >
            <FocusIcon size={14} />
          </UnstyledButton>
        </Tooltip>
      )}
      <ul className={classes.columns}>
        {columns.slice(0, SHOWN_COLUMNS).map((column) => (
          <li key={column.name}>
            <span className={classes.key}>{column.is === 'primary' ? 'PK' : ''}</span>
            {column.name}
          </li>
        ))}
        {hidden > 0 && <li className={classes.more}>and {hidden} more</li>}
        {elsewhere.length > 0 && <li className={classes.more}>to other sources: {elsewhere.join(', ')}</li>}
      </ul>
      <Handle type="source" position={Position.Right} isConnectable={false} className={classes.handle ?? ''} />
    </div>
  );
}

function RemoteRelationshipLine({
  id,
  source,
  target,
  sourceX,
  sourceY,
  targetX,
  targetY,
  data,
  ...ends
}: EdgeProps<Line>) {
  const [path, labelX, labelY] =
    source === target
      ? [loop(sourceX, sourceY, targetX), (sourceX + targetX) / 2, sourceY - 84]
      : getBezierPath({
          sourceX,
          sourceY,
          targetX,
          targetY,
          sourcePosition: Position.Right,
          targetPosition: Position.Left,
        });
  const names = [data?.line.there?.name, data?.line.back?.name].filter((name) => name !== undefined);
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        className={data?.faint ? (classes.faint ?? '') : ''}
        {...(ends.markerStart && { markerStart: ends.markerStart })}
        {...(ends.markerEnd && { markerEnd: ends.markerEnd })}
      />
      <EdgeLabelRenderer>
        <div
          className={`${classes.label} ${data?.faint ? classes.faint : ''}`}
          style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
        >
          {names.join(' · ')}
        </div>
      </EdgeLabelRenderer>
    </>
  );
}

/** A loop over the box, from its right side to its left side. */
function loop(fromX: number, y: number, toX: number): string {
  return `M${fromX},${y} C${fromX + 60},${y - 110} ${toX - 60},${y - 110} ${toX},${y}`;
}
