/** Suggested permissions as buttons, and what the chosen one allows. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { isEmpty, type Operation, ruleMember } from './access.ts';
import type { SuggestedPermission, Suggestions } from './suggested-permissions.ts';

interface SuggestionsSectionProps {
  readonly role: string;
  readonly operation: Operation;
  readonly suggestions: Suggestions;
  /** The permission in the form. */
  readonly permission: JsonObject;
  readonly onChoose: (permission: JsonObject) => void;
}

export function SuggestionsSection({ role, operation, suggestions, permission, onChoose }: SuggestionsSectionProps) {
  const [key, setKey] = useState<string>();
  const chosen = suggestions.permissions.find((one) => textOf(one) === key);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {suggestions.permissions.map((one) => (
          <Button
            key={textOf(one)}
            size="xs"
            variant={chosen === one ? 'light' : 'default'}
            aria-pressed={chosen === one}
            onClick={() => {
              setKey(textOf(one));
              onChoose(one.permission);
            }}
          >
            {textOf(one)}
          </Button>
        ))}
      </Group>
      <Text size="sm" {...(chosen === undefined && { c: 'dimmed' })} role="status">
        {chosen === undefined
          ? 'Choose one to fill in the form. Nothing is saved yet.'
          : exposed({ role, operation, permission, chosen, secrets: suggestions.secrets })}
      </Text>
    </Stack>
  );
}

const writes = { insert: 'set', update: 'change' } as const;

function textOf({ label, condition }: SuggestedPermission): string {
  return condition === '' ? label : `${label}: ${condition}`;
}

interface Exposed {
  readonly role: string;
  readonly operation: Operation;
  /** The permission in the form. */
  readonly permission: JsonObject;
  readonly chosen: SuggestedPermission;
  readonly secrets: readonly string[];
}

/** Says what the permission in the form allows, and which columns were left out. */
function exposed({ role, operation, permission, chosen, secrets }: Exposed): string {
  const rows = rowsText(permission[ruleMember(operation)], operation, chosen);
  if (operation === 'delete') return `Once saved, ${role} may delete ${rows}.`;
  const { columns, set } = permission;
  const names = Array.isArray(columns) ? columns.map(String) : [];
  const listed = columns === '*' ? 'all columns' : names.length === 0 ? 'no column' : names.join(', ');
  const left = secrets.filter((name) => columns !== '*' && !names.includes(name));
  return [
    operation === 'select'
      ? `Once saved, ${role} sees ${listed} of ${rows}.`
      : `Once saved, ${role} may ${operation} ${rows}, and ${writes[operation]} ${listed}.`,
    ...(isJsonObject(set) ? [`The service sets ${Object.keys(set).join(', ')}.`] : []),
    ...(left.length === 0 ? [] : [`Not included because of the name: ${left.join(', ')}.`]),
    ...(columns === '*' ? [] : ['Columns that are added later are not included.']),
  ].join(' ');
}

function rowsText(rule: unknown, operation: Operation, { permission, condition }: SuggestedPermission): string {
  if (isEmpty(rule)) return 'all rows';
  const isChosen = JSON.stringify(rule) === JSON.stringify(permission[ruleMember(operation)]);
  return isChosen ? `rows whose ${condition}` : 'the rows of the rule below';
}
