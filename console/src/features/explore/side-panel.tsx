/** The panel beside the editor: tree of fields, documentation, history or favorites. */
import { Button, Group } from '@mantine/core';
import type { GraphQLSchema } from 'graphql';
import type { Edit } from '../../shared/graphql/text-edits.ts';
import { BuilderPanel } from './builder/builder-panel.tsx';
import { DocsPanel } from './docs/docs-panel.tsx';
import type { DocPlace } from './docs/search-index.ts';
import classes from './explore.module.css';
import { FavoritesPanel } from './history/favorites-panel.tsx';
import type { PastOperation } from './history/history.ts';
import { HistoryPanel } from './history/history-panel.tsx';
import type { Tab, TabContent } from './tabs/tabs.ts';

const sideNames = ['Fields', 'Docs', 'History', 'Favorites'] as const;

export type SideName = (typeof sideNames)[number];

const key = 'joinery.explore.side';

export function storedSide(store: Pick<Storage, 'getItem'>): SideName | undefined {
  const stored = store.getItem(key);
  return sideNames.find((name) => name === stored);
}

export function storeSide(store: Pick<Storage, 'setItem'>, name: SideName | undefined): void {
  try {
    store.setItem(key, name ?? '');
  } catch {
    // Storage can be unavailable or full. The panel is then closed after a reload.
  }
}

interface SideButtonsProps {
  readonly side: SideName | undefined;
  readonly onChange: (side: SideName | undefined) => void;
}

/** Buttons that open a panel, and close the opened one. */
export function SideButtons({ side, onChange }: SideButtonsProps) {
  return (
    <Group gap={2} wrap="nowrap">
      {sideNames.map((name) => (
        <Button
          key={name}
          size="compact-sm"
          variant={name === side ? 'light' : 'subtle'}
          color={name === side ? 'pine' : 'gray'}
          aria-pressed={name === side}
          onClick={() => onChange(name === side ? undefined : name)}
        >
          {name}
        </Button>
      ))}
    </Group>
  );
}

interface SidePanelProps {
  readonly name: SideName;
  readonly schema: GraphQLSchema | undefined;
  readonly tab: Tab;
  readonly caret: number;
  readonly places: readonly DocPlace[];
  readonly history: readonly PastOperation[];
  readonly onEdit: (edits: readonly Edit[]) => void;
  readonly onVariable: (name: string, value: unknown) => void;
  readonly onPlaces: (places: readonly DocPlace[]) => void;
  readonly onDocs: (place: DocPlace) => void;
  readonly onOpen: (content: Partial<TabContent>) => void;
  readonly onClearHistory: () => void;
}

export function SidePanel(props: SidePanelProps) {
  return (
    <section className={classes.pane} aria-label={props.name}>
      <SideContent {...props} />
    </section>
  );
}

function SideContent(props: SidePanelProps) {
  const { name, schema, tab, history, onOpen } = props;
  switch (name) {
    case 'Fields':
      return (
        <BuilderPanel
          key={tab.id}
          schema={schema}
          text={tab.query}
          caret={props.caret}
          onEdit={props.onEdit}
          onVariable={props.onVariable}
          onDocs={(type) => props.onDocs({ type })}
        />
      );
    case 'Docs':
      return <DocsPanel schema={schema} places={props.places} onPlaces={props.onPlaces} />;
    case 'History':
      return (
        <HistoryPanel
          operations={history}
          onOpen={({ query, variables, role, session }) => onOpen({ query, variables, role, session })}
          onClear={props.onClearHistory}
        />
      );
    case 'Favorites':
      return (
        <FavoritesPanel
          query={tab.query}
          variables={tab.variables}
          onOpen={({ query, variables }) => onOpen({ query, variables, role: tab.role, session: tab.session })}
        />
      );
    default:
      return name satisfies never;
  }
}
