/** The permission of a role on a remote schema as a tree of checkboxes: types, fields, arguments, values and presets. */
import { Text, TextInput } from '@mantine/core';
import type { GraphQLSchema } from 'graphql';
import { useState } from 'react';
import classes from '../../../shared/remote-fields/remote-fields.module.css';
import { TextField } from '../../../ui/form/text-field.tsx';
import { counted } from '../../../ui/format.ts';
import { ChevronIcon } from '../../../ui/page/icons.tsx';
import {
  type Place,
  type TreeInput,
  type TreeMember,
  type TreeType,
  withChoice,
  withPreset,
} from './permission-tree.ts';

interface PermissionTreeFieldsProps {
  readonly tree: readonly TreeType[];
  readonly text: string;
  readonly schema: GraphQLSchema;
  readonly onChange: (text: string) => void;
}

/** More members of a type are found by the search. */
const SHOWN = 100;

export function PermissionTreeFields({ tree, text, schema, onChange }: PermissionTreeFieldsProps) {
  const [sought, setSought] = useState('');
  const [expanded, setExpanded] = useState<Readonly<Record<string, boolean>>>({});
  const wanted = sought.trim().toLowerCase();
  const found = tree.flatMap((type) => {
    const isType = type.name.toLowerCase().includes(wanted);
    const members = isType ? type.members : type.members.filter(({ name }) => name.toLowerCase().includes(wanted));
    return members.length === 0 ? [] : [{ type, members }];
  });
  const choose = (place: Place, isChosen: boolean): void => onChange(withChoice(text, schema, place, isChosen));
  const preset = (place: Place, value: string | undefined): void => onChange(withPreset(text, schema, place, value));
  return (
    <fieldset className={classes.fields}>
      <legend className={classes.legend}>Fields, arguments and values; types that they use are added</legend>
      <TextInput
        size="xs"
        mb={6}
        aria-label="Search the types"
        placeholder="Search types and fields"
        autoComplete="off"
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      <ul className={classes.tree} aria-label="Types">
        {found.map(({ type, members }) => {
          const isExpanded = expanded[type.name] ?? (type.isRoot || wanted !== '');
          const chosen = type.members.filter(({ isChosen }) => isChosen).length;
          return (
            <li key={type.name}>
              <div className={classes.row}>
                <button
                  type="button"
                  className={classes.expand}
                  aria-expanded={isExpanded}
                  aria-label={`${isExpanded ? 'Collapse' : 'Expand'} ${type.name}`}
                  onClick={() => setExpanded({ ...expanded, [type.name]: !isExpanded })}
                >
                  <ChevronIcon size={14} />
                </button>
                <span className={classes.name} data-path="true">
                  {type.name}
                </span>
                <span className={classes.type}>
                  {chosen} of {type.members.length}
                </span>
              </div>
              {isExpanded && (
                <ul className={classes.nested} aria-label={`Members of ${type.name}`}>
                  {members.slice(0, SHOWN).map((member) => (
                    <MemberRow
                      key={member.name}
                      type={type}
                      member={member}
                      isLast={member.isChosen && chosen === 1 && !type.isRoot}
                      onChoose={choose}
                      onPreset={preset}
                    />
                  ))}
                  {members.length > SHOWN && (
                    <li>
                      <Text size="xs" c="dimmed">
                        {counted(members.length - SHOWN, 'more field')}: search for them.
                      </Text>
                    </li>
                  )}
                </ul>
              )}
            </li>
          );
        })}
      </ul>
      {found.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing matches the search.
        </Text>
      )}
    </fieldset>
  );
}

interface Changes {
  readonly onChoose: (place: Place, isChosen: boolean) => void;
  readonly onPreset: (place: Place, value: string | undefined) => void;
}

interface MemberRowProps extends Changes {
  readonly type: TreeType;
  readonly member: TreeMember;
  /** A type needs one member. */
  readonly isLast: boolean;
}

function MemberRow({ type, member, isLast, onChoose, onPreset }: MemberRowProps) {
  const place: Place = { type: type.name, member: member.name };
  const [first] = member.inputs;
  // An input field has one input: itself.
  const own =
    first !== undefined && first.name === member.name && String(first.type) === member.type ? first : undefined;
  return (
    <li>
      <div className={classes.row}>
        <label
          className={classes.label}
          title={isLast ? 'A type needs one field. Clear the fields that use it.' : undefined}
        >
          <input
            type="checkbox"
            aria-label={`${type.name}.${member.name}`}
            checked={member.isChosen}
            disabled={isLast}
            onChange={(event) => onChoose(place, event.currentTarget.checked)}
          />
          <span className={classes.name}>{member.name}</span>
        </label>
        <span className={classes.type}>{member.type}</span>
        {own?.isChosen === true && (
          <PresetField input={own} of={type.name} onChange={(value) => onPreset(place, value)} />
        )}
      </div>
      {member.isChosen && own === undefined && member.inputs.length > 0 && (
        <ul className={classes.nested} aria-label={`Arguments of ${member.name}`}>
          {member.inputs.map((input) => (
            <li key={input.name} className={classes.row}>
              <label className={classes.label}>
                <input
                  type="checkbox"
                  aria-label={`Argument ${input.name} of ${member.name}`}
                  checked={input.isChosen}
                  onChange={(event) => onChoose({ ...place, argument: input.name }, event.currentTarget.checked)}
                />
                <span className={classes.name}>{input.name}</span>
              </label>
              <span className={classes.type}>{String(input.type)}</span>
              {input.isChosen && (
                <PresetField
                  input={input}
                  of={member.name}
                  onChange={(value) => onPreset({ ...place, argument: input.name }, value)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

interface PresetFieldProps {
  readonly input: TreeInput;
  readonly of: string;
  readonly onChange: (value: string | undefined) => void;
}

function PresetField({ input, of, onChange }: PresetFieldProps) {
  return (
    <span className={classes.controls}>
      <TextField
        size="xs"
        aria-label={`Preset of ${input.name} of ${of}`}
        placeholder="No preset"
        value={input.preset ?? ''}
        onChange={(text) => onChange(text === '' ? undefined : text)}
      />
    </span>
  );
}
