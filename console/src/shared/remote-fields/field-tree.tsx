/** The fields of the query root of a remote schema as a tree, to choose the one that a relationship leads to. */
import { Text, TextInput } from '@mantine/core';
import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
} from 'graphql';
import { useId, useState } from 'react';
import type { JsonObject } from '../../api/json.ts';
import { counted } from '../../ui/format.ts';
import { ChevronIcon } from '../../ui/page/icons.tsx';
import { type KeyOwner, suggestedArguments } from './argument-values.ts';
import { ArgumentsTree } from './arguments-tree.tsx';
import classes from './remote-fields.module.css';
import type { PathStep } from './remote-path.ts';

type Field = GraphQLField<unknown, unknown>;

interface FieldTreeProps {
  readonly schema: GraphQLSchema;
  readonly path: readonly PathStep[];
  readonly owner: KeyOwner;
  /** Errors of the service by argument. */
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (path: readonly PathStep[]) => void;
}

/** More root fields are found by the search. */
const SHOWN = 100;

export function FieldTree({ schema, path, owner, problems, onChange }: FieldTreeProps) {
  const group = useId();
  const [sought, setSought] = useState('');
  const [expanded, setExpanded] = useState<Readonly<Record<string, boolean>>>({});
  const root = schema.getQueryType();
  const fields = Object.values(root?.getFields() ?? {});
  const wanted = sought.trim().toLowerCase();
  const found = fields.filter((field) => isFound(field, wanted) || field.name === path[0]?.field);
  const shown = found.slice(0, SHOWN);
  return (
    <fieldset className={classes.fields}>
      <legend className={classes.legend}>Field</legend>
      <TextInput
        size="xs"
        mb={6}
        aria-label="Search the fields"
        placeholder="Search by name, type or argument"
        autoComplete="off"
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      <ul className={classes.tree} aria-label="Fields of the remote schema">
        {shown.map((field) => (
          <FieldRow
            key={field.name}
            {...{ field, group, path, owner, problems, onChange, expanded }}
            above={[]}
            onExpand={(id, isExpanded) => setExpanded({ ...expanded, [id]: isExpanded })}
          />
        ))}
      </ul>
      {found.length === 0 && (
        <Text size="sm" c="dimmed">
          No field matches the search.
        </Text>
      )}
      {found.length > SHOWN && (
        <Text size="xs" c="dimmed">
          {counted(found.length - SHOWN, 'more field')}: search for them.
        </Text>
      )}
      {path[0] !== undefined && !fields.some(({ name }) => name === path[0]?.field) && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          The remote schema has no field {path[0].field}.
        </Text>
      )}
    </fieldset>
  );
}

function isFound({ name, type, args }: Field, wanted: string): boolean {
  return [name, String(type), ...args.map((one) => one.name)].some((text) => text.toLowerCase().includes(wanted));
}

interface FieldRowProps extends Omit<FieldTreeProps, 'schema'> {
  readonly field: Field;
  /** Name of the group of radio buttons. */
  readonly group: string;
  /** The fields above this one. */
  readonly above: readonly Field[];
  readonly expanded: Readonly<Record<string, boolean>>;
  readonly onExpand: (id: string, isExpanded: boolean) => void;
}

function FieldRow({ field, ...tree }: FieldRowProps) {
  const { group, above, path, owner, problems, expanded, onChange, onExpand } = tree;
  const here = [...above, field];
  const id = here.map(({ name }) => name).join('.');
  const depth = above.length;
  const isOnPath = here.every(({ name }, index) => path[index]?.field === name);
  const isChosen = isOnPath && path.length === here.length;
  const inner = innerFields(field);
  const isExpanded = inner.length > 0 && (expanded[id] ?? (isOnPath && !isChosen));
  const step = path[depth];
  const choose = (): void =>
    onChange(here.map((one, index) => stepFor(one, isOnPath ? path[index] : reused(path, here, index), owner)));
  const setArguments = (values: JsonObject): void =>
    onChange(path.map((one, index) => (index === depth ? { ...one, arguments: values } : one)));
  return (
    <li>
      <div className={classes.row}>
        {inner.length > 0 ? (
          <button
            type="button"
            className={classes.expand}
            aria-expanded={isExpanded}
            aria-label={`${isExpanded ? 'Collapse' : 'Expand'} ${id}`}
            onClick={() => onExpand(id, !isExpanded)}
          >
            <ChevronIcon size={14} />
          </button>
        ) : (
          <span className={classes.gap} />
        )}
        <label className={classes.label}>
          <input type="radio" name={group} checked={isChosen} onChange={choose} aria-label={id} />
          <span className={classes.name} data-path={isOnPath} title={field.description ?? undefined}>
            {field.name}
          </span>
        </label>
        <span className={classes.type}>{String(field.type)}</span>
      </div>
      {isOnPath && step !== undefined && (
        <div className={classes.inner}>
          {field.args.length === 0 && Object.keys(step.arguments).length === 0 ? (
            <Text size="xs" c="dimmed">
              No arguments.
            </Text>
          ) : (
            <ArgumentsTree
              declared={field.args}
              values={step.arguments}
              owner={owner}
              subjects={subjectsOf(field)}
              isOpen={isChosen}
              problems={problems}
              onChange={setArguments}
            />
          )}
        </div>
      )}
      {isExpanded && (
        <ul className={classes.nested} aria-label={`Fields of ${id}`}>
          {inner.map((one) => (
            <FieldRow key={one.name} {...tree} field={one} above={here} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Only the last field of a path can be a list, and a leaf has no fields. */
function innerFields({ type }: Field): readonly Field[] {
  if (isListType(getNullableType(type))) return [];
  const named = getNamedType(type);
  return isObjectType(named) || isInterfaceType(named) ? Object.values(named.getFields()) : [];
}

function subjectsOf({ name, type }: Field): readonly string[] {
  return [name, getNamedType(type).name];
}

/** The step of the present path for a field above the chosen one, which keeps its arguments. */
function reused(path: readonly PathStep[], here: readonly Field[], index: number): PathStep | undefined {
  const isSame = here.slice(0, index + 1).every(({ name }, position) => path[position]?.field === name);
  return isSame ? path[index] : undefined;
}

function stepFor(field: Field, step: PathStep | undefined, owner: KeyOwner): PathStep {
  return step ?? { field: field.name, arguments: suggestedArguments(field.args, owner, subjectsOf(field)) };
}
