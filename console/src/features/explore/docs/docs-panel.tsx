/** Documentation of the schema of a role, with search over types, fields, arguments and descriptions. */
import { ActionIcon, Anchor, Text, TextInput, Tooltip } from '@mantine/core';
import { type GraphQLSchema, isIntrospectionType } from 'graphql';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { counted } from '../../../ui/format.ts';
import { BackIcon } from '../../../ui/page/icons.tsx';
import { VirtualList } from '../virtual-list.tsx';
import classes from './docs.module.css';
import { type DocEntry, type DocPlace, docIndex, placeText, searchDocs } from './search-index.ts';
import { TypeDocs } from './type-docs.tsx';

interface DocsPanelProps {
  /** Undefined while it is read. */
  readonly schema: GraphQLSchema | undefined;
  /** The places that were opened, the present one last. */
  readonly places: readonly DocPlace[];
  readonly onPlaces: (places: readonly DocPlace[]) => void;
}

/** Maximum number of search results. */
const SHOWN = 200;

/** Time after opening at which the schema is indexed. */
const INDEX_MS = 200;

export function DocsPanel({ schema, places, onPlaces }: DocsPanelProps) {
  const [sought, setSought] = useState('');
  const place = places.at(-1);
  // The index of a large schema takes longer than a key press may.
  useEffect(() => {
    if (schema === undefined) return;
    const timer = window.setTimeout(() => docIndex(schema), INDEX_MS);
    return () => window.clearTimeout(timer);
  }, [schema]);
  if (schema === undefined) return <Loading />;
  const open = (next: DocPlace): void => {
    setSought('');
    onPlaces([...places, next]);
  };
  const type = place === undefined ? undefined : schema.getType(place.type);
  return (
    <div className={classes.panel}>
      <div className={classes.search}>
        {places.length > 0 && sought === '' && (
          <Tooltip label="Back">
            <ActionIcon variant="subtle" color="gray" aria-label="Back" onClick={() => onPlaces(places.slice(0, -1))}>
              <BackIcon />
            </ActionIcon>
          </Tooltip>
        )}
        <TextInput
          size="xs"
          flex={1}
          aria-label="Search the schema"
          placeholder="Search types, fields, arguments, descriptions"
          autoComplete="off"
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setSought('');
          }}
        />
      </div>
      {sought.trim() !== '' ? (
        <Results schema={schema} sought={sought} onOpen={open} />
      ) : type === undefined ? (
        <Roots schema={schema} missing={place?.type} onOpen={open} />
      ) : (
        <TypeDocs key={`${places.length} ${type.name}`} type={type} member={place?.member} onOpen={open} />
      )}
    </div>
  );
}

interface ResultsProps {
  readonly schema: GraphQLSchema;
  readonly sought: string;
  readonly onOpen: (place: DocPlace) => void;
}

function Results({ schema, sought, onOpen }: ResultsProps) {
  const text = useDeferredValue(sought);
  const { entries, total } = useMemo(() => searchDocs(docIndex(schema), text, SHOWN), [schema, text]);
  return (
    <>
      <Text size="xs" c="dimmed" px="xs" role="status">
        {total > SHOWN ? `The first ${SHOWN} of ${matches(total)}` : matches(total)}
      </Text>
      <VirtualList
        label="Matches"
        items={entries}
        keyOf={placeText}
        height={44}
        render={(entry) => <Result entry={entry} onOpen={onOpen} />}
      />
    </>
  );
}

function matches(total: number): string {
  if (total === 0) return 'Nothing matches.';
  return total === 1 ? '1 match' : `${total.toLocaleString('en')} matches`;
}

function Result({ entry, onOpen }: { readonly entry: DocEntry; readonly onOpen: (place: DocPlace) => void }) {
  const { type, member, argument, kind, about } = entry;
  return (
    <button type="button" className={classes.result} onClick={() => onOpen({ type, member, argument })}>
      <span className={classes.code}>{placeText(entry)}</span>
      <span className={classes.about}>
        {kind}
        {about !== '' && `: ${about}`}
      </span>
    </button>
  );
}

interface RootsProps {
  readonly schema: GraphQLSchema;
  /** A type that was opened and that the schema does not have. */
  readonly missing: string | undefined;
  readonly onOpen: (place: DocPlace) => void;
}

function Roots({ schema, missing, onOpen }: RootsProps) {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const count = useMemo(
    () => Object.values(schema.getTypeMap()).filter((one) => !isIntrospectionType(one)).length,
    [schema],
  );
  return (
    <div className={classes.roots}>
      {missing !== undefined && <Text size="sm">The schema of this caller has no type {missing}.</Text>}
      {roots.map((root) =>
        root === undefined || root === null ? null : (
          <Anchor
            key={root.name}
            component="button"
            type="button"
            className={classes.code ?? ''}
            onClick={() => onOpen({ type: root.name })}
          >
            {root.name}
          </Anchor>
        ),
      )}
      <Text size="xs" c="dimmed">
        The schema has {counted(count, 'type')}.
      </Text>
    </div>
  );
}
