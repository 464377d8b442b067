/** Forms that create, replace and drop functions. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Checkbox, NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { tableLabel } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName } from '../../../../shared/sql/sql-names.ts';
import {
  createFunctionSql,
  type DefinitionDraft,
  definitionErrors,
  dropFunctionSql,
  type FunctionDraft,
  functionErrors,
  replaceFunctionSql,
} from '../sql/function-sql.ts';
import classes from '../structure.module.css';
import type { TableFunction } from '../structure-api.ts';
import { SqlForm } from './sql-form.tsx';

interface CreateFunctionFormProps {
  readonly source: string;
  readonly info: TableInfo;
  /** A function of the row, for a computed field, or one that returns rows. */
  readonly of: 'row' | 'rows';
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function CreateFunctionForm({ source, info, of, onDone, onClose }: CreateFunctionFormProps) {
  return (
    <SqlForm<FunctionDraft>
      source={source}
      initial={of === 'row' ? functionOfRow(info) : functionOfRows(info)}
      validate={functionErrors}
      sqlOf={(draft) => (draft.name.trim() === '' ? '' : createFunctionSql(info.table.schema, draft))}
      submit="Create the function"
      done="The function was created"
      onDone={onDone}
      onClose={onClose}
    >
      {(form) => (
        <>
          <div className={classes.two}>
            <TextInput label="Name" required autoComplete="off" spellCheck={false} {...form.getInputProps('name')} />
            <TextInput
              label="Result"
              required
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps('result')}
            />
          </div>
          <TextInput
            label="Arguments"
            description="SQL, separated by commas"
            placeholder="search text, most integer default 10"
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('arguments')}
          />
          <div className={classes.two}>
            <NativeSelect label="Language" data={['sql', 'plpgsql']} {...form.getInputProps('language')} />
            <NativeSelect
              label="Volatility"
              data={['immutable', 'stable', 'volatile']}
              {...form.getInputProps('volatility')}
            />
          </div>
          <Textarea
            label="Body"
            required
            autosize
            minRows={3}
            maxRows={16}
            spellCheck={false}
            classNames={{ input: classes.sql ?? '' }}
            {...form.getInputProps('body')}
          />
        </>
      )}
    </SqlForm>
  );
}

function functionOfRow({ table, columns: [first] }: TableInfo): FunctionDraft {
  return {
    name: '',
    arguments: `self ${qualifiedName(table)}`,
    result: 'text',
    language: 'sql',
    volatility: 'stable',
    body: first === undefined ? 'select null' : `select self.${first.name}`,
  };
}

function functionOfRows({ table }: TableInfo): FunctionDraft {
  return {
    name: '',
    arguments: '',
    result: `setof ${qualifiedName(table)}`,
    language: 'sql',
    volatility: 'stable',
    body: `select * from ${qualifiedName(table)}`,
  };
}

interface FunctionFormProps {
  readonly source: string;
  readonly called: TableFunction;
  readonly onClose: () => void;
}

export function ReplaceFunctionForm({ source, called, onClose }: FunctionFormProps) {
  return (
    <SqlForm<DefinitionDraft>
      source={source}
      initial={{ definition: called.definition.trim(), comment: called.comment ?? '' }}
      validate={definitionErrors}
      sqlOf={(draft) => replaceFunctionSql(called, draft)}
      submit="Replace the function"
      done={`Function ${tableLabel(called)} changed`}
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Textarea
            label="Definition"
            description="Another name or other argument types create another function. Another result type requires that the function is dropped first."
            autosize
            minRows={6}
            maxRows={24}
            spellCheck={false}
            classNames={{ input: classes.sql ?? '' }}
            {...form.getInputProps('definition')}
          />
          <TextInput label="Comment" autoComplete="off" {...form.getInputProps('comment')} />
        </>
      )}
    </SqlForm>
  );
}

export function DropFunctionForm({ source, called, onClose }: FunctionFormProps) {
  const { oid, schema, name, identity } = called;
  return (
    <SqlForm<{ readonly cascade: boolean }>
      source={source}
      initial={{ cascade: false }}
      sqlOf={({ cascade }) => dropFunctionSql({ schema, name, identity }, cascade)}
      drop={({ cascade }) => ({ object: { kind: 'function', oid, called: { schema, name } }, cascade })}
      submit="Drop the function"
      isRemoval
      done={`Function ${tableLabel(called)} dropped`}
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Text size="sm">
            {tableLabel(called)}({called.arguments}): {called.result}
          </Text>
          <Checkbox
            label="Also drop what depends on it in the database"
            {...form.getInputProps('cascade', { type: 'checkbox' })}
          />
        </>
      )}
    </SqlForm>
  );
}
