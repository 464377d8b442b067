/** The arguments of a field with the values that a relationship supplies: keys of its owner, fixed values and objects. */
import { Button, NativeSelect, Select, Text, TextInput } from '@mantine/core';
import { type GraphQLInputType, getNullableType, isEnumType } from 'graphql';
import { useState } from 'react';
import type { JsonObject } from '../../api/json.ts';
import { sameDraft } from '../../ui/form/same-draft.ts';
import {
  type DeclaredInput,
  fieldsOf,
  initialValue,
  isRequired,
  itemFieldsOf,
  type KeyOwner,
  kindOfValue,
  textOfValue,
  type ValueKind,
  valueError,
  valueOfKind,
  valueOfText,
} from './argument-values.ts';
import { whyUnfitArgument } from './join-key.ts';
import classes from './remote-fields.module.css';

interface ArgumentsTreeProps {
  readonly declared: readonly DeclaredInput[];
  readonly values: JsonObject;
  readonly owner: KeyOwner;
  /** What the arguments belong to: the field and its type. Names suggest keys. */
  readonly subjects: readonly string[];
  /** Whether clients supply the arguments that are left out. */
  readonly isOpen: boolean;
  /** Errors of the service, by path of the argument: `where` or `where.id`. */
  readonly problems: ReadonlyMap<string, string>;
  /** Path of the input object that the arguments are fields of. Empty for arguments. */
  readonly within?: string;
  readonly onChange: (values: JsonObject) => void;
}

export function ArgumentsTree(props: ArgumentsTreeProps) {
  const { declared, values, owner, subjects, within = '', onChange } = props;
  const unknown = Object.keys(values).filter((name) => !declared.some((one) => one.name === name));
  const without = (name: string): JsonObject =>
    Object.fromEntries(Object.entries(values).filter(([one]) => one !== name));
  return (
    <ul className={classes.tree} aria-label={within === '' ? 'Arguments' : `Fields of ${within}`}>
      {declared.map((input) => (
        <ArgumentRow
          key={input.name}
          {...props}
          input={input}
          onToggle={(on) =>
            onChange(on ? { ...values, [input.name]: initialValue(input, owner, subjects) } : without(input.name))
          }
        />
      ))}
      {unknown.map((name) => (
        <li key={name}>
          <label className={classes.label}>
            <input type="checkbox" checked onChange={() => onChange(without(name))} />
            <span className={classes.name}>{name}</span>
          </label>
          <Text size="xs" c="var(--mantine-color-error)">
            There is no argument of this name. Clear the checkbox to remove it.
          </Text>
        </li>
      ))}
    </ul>
  );
}

interface ArgumentRowProps extends ArgumentsTreeProps {
  readonly input: DeclaredInput;
  readonly onToggle: (on: boolean) => void;
}

function ArgumentRow({ input, onToggle, ...tree }: ArgumentRowProps) {
  const { values, owner, subjects, isOpen, problems, within = '', onChange } = tree;
  const { name, type, description } = input;
  const path = within === '' ? name : `${within}.${name}`;
  const isSupplied = Object.hasOwn(values, name);
  const value = values[name];
  const isMissing = !isSupplied && isRequired(input) && !isOpen;
  const error = problems.get(path) ?? (isMissing ? 'Required: a field above the last one needs it.' : undefined);
  const set = (changed: unknown): void => onChange({ ...values, [name]: changed });
  const kind = kindOfValue(value, type);
  return (
    <li>
      <div className={classes.row}>
        <label className={classes.label}>
          <input type="checkbox" checked={isSupplied} onChange={(event) => onToggle(event.currentTarget.checked)} />
          <span className={classes.name} title={description ?? undefined}>
            {name}
            {isRequired(input) && '*'}
          </span>
        </label>
        <span className={classes.type}>{String(type)}</span>
        {isSupplied && (
          <span className={classes.controls}>
            <NativeSelect
              size="xs"
              aria-label={`Source of ${path}`}
              value={kind}
              data={kindsFor(input, owner.noun)}
              onChange={(event) => set(valueOfKind(event.currentTarget.value as ValueKind, input, owner))}
            />
            {kind === 'key' && <KeySelect path={path} type={type} owner={owner} value={String(value)} onChange={set} />}
            {kind === 'value' && <FixedValue key={path} path={path} type={type} value={value} onChange={set} />}
          </span>
        )}
        {!isSupplied && isOpen && isRequired(input) && (
          <Text span size="xs" c="dimmed">
            clients supply it
          </Text>
        )}
      </div>
      {error !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert" className={classes.error ?? ''}>
          {error}
        </Text>
      )}
      {isSupplied && kind === 'items' && (
        <Items {...tree} path={path} input={input} items={value as readonly JsonObject[]} onItems={set} />
      )}
      {isSupplied && kind === 'fields' && (
        <div className={classes.inner}>
          <ArgumentsTree
            {...tree}
            declared={fieldsOf(type)}
            values={value as JsonObject}
            subjects={[...subjects, name]}
            within={path}
            onChange={set}
          />
        </div>
      )}
    </li>
  );
}

interface ItemsProps extends ArgumentsTreeProps {
  readonly path: string;
  readonly input: DeclaredInput;
  readonly items: readonly JsonObject[];
  readonly onItems: (items: readonly JsonObject[]) => void;
}

function Items({ path, input, items, onItems, ...tree }: ItemsProps) {
  return (
    <div className={classes.inner}>
      {items.map((item, index) => {
        const within = `${path}.${index}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity, and their inputs follow their values.
          <div key={index}>
            <div className={classes.row}>
              <Text span size="xs" c="dimmed">
                Item {index + 1}
              </Text>
              <Button
                size="compact-xs"
                variant="subtle"
                color="gray"
                aria-label={`Remove item ${index + 1} of ${path}`}
                onClick={() => onItems(items.filter((_one, place) => place !== index))}
              >
                Remove
              </Button>
            </div>
            <ArgumentsTree
              {...tree}
              declared={itemFieldsOf(input.type)}
              values={item}
              subjects={[...tree.subjects, input.name]}
              within={within}
              onChange={(changed) => onItems(items.with(index, changed))}
            />
          </div>
        );
      })}
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Add an item to ${path}`}
        onClick={() => onItems([...items, {}])}
      >
        Add an item
      </Button>
    </div>
  );
}

function kindsFor(input: DeclaredInput, noun: KeyOwner['noun']): { value: ValueKind; label: string }[] {
  const key = { value: 'key' as const, label: noun === 'column' ? 'Column' : 'Field' };
  if (fieldsOf(input.type).length > 0) return [key, { value: 'fields', label: 'By fields' }];
  if (itemFieldsOf(input.type).length > 0) {
    return [key, { value: 'items', label: 'By items' }, { value: 'value', label: 'Fixed value' }];
  }
  return [key, { value: 'value', label: 'Fixed value' }];
}

interface ValueProps<Value> {
  readonly path: string;
  readonly type: GraphQLInputType;
  readonly value: Value;
  readonly onChange: (value: unknown) => void;
}

function KeySelect({ path, type, owner, value, onChange }: ValueProps<string> & { readonly owner: KeyOwner }) {
  const chosen = value.slice(1);
  const known = owner.keys.find(({ name }) => name === chosen);
  const unfit = known === undefined ? undefined : whyUnfitArgument(known, type);
  const options = owner.keys.map((key) => {
    const problem = whyUnfitArgument(key, type);
    return {
      value: key.name,
      label: `${key.name}: ${key.type}${problem === undefined ? '' : ' (does not fit)'}`,
      disabled: problem !== undefined,
    };
  });
  return (
    <Select
      size="xs"
      aria-label={`${owner.noun === 'column' ? 'Column' : 'Field'} for ${path}`}
      placeholder={owner.noun === 'column' ? 'Column' : 'Field'}
      searchable
      allowDeselect={false}
      data={options.sort((one, other) => Number(one.disabled) - Number(other.disabled))}
      nothingFoundMessage={`No ${owner.noun} of that name`}
      value={known === undefined ? null : chosen}
      error={
        unfit !== undefined
          ? `${chosen} ${unfit}`
          : known === undefined &&
            (chosen === '' ? `Choose a ${owner.noun}.` : `${owner.name} has no ${owner.noun} ${chosen}.`)
      }
      onChange={(name) => name !== null && onChange(`$${name}`)}
    />
  );
}

function FixedValue({ path, type, value, onChange }: ValueProps<unknown>) {
  const [typed, setTyped] = useState(() => textOfValue(value));
  const text = sameDraft(valueOfText(typed, type), value) ? typed : textOfValue(value);
  const nullable = getNullableType(type);
  const label = `Value of ${path}`;
  const error = valueError(value, type);
  if (isEnumType(nullable) || String(nullable) === 'Boolean') {
    const names = isEnumType(nullable) ? nullable.getValues().map((one) => one.name) : ['true', 'false'];
    return (
      <NativeSelect
        size="xs"
        aria-label={label}
        value={text}
        data={names.includes(text) ? names : [text, ...names]}
        error={error}
        onChange={(event) => onChange(valueOfText(event.currentTarget.value, type))}
      />
    );
  }
  return (
    <TextInput
      size="xs"
      aria-label={label}
      autoComplete="off"
      spellCheck={false}
      placeholder={String(nullable)}
      value={text}
      error={error}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onChange(valueOfText(event.currentTarget.value, type));
      }}
    />
  );
}
