/** Forms that create, replace and drop functions. */
import { Checkbox, NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { tableLabel } from '../../../../shared/sources/table-paths.ts';
import {
  createFunctionSql,
  type DefinitionDraft,
  definitionErrors,
  dropFunctionSql,
  type FunctionDraft,
  functionErrors,
  type PresentFunction,
  replaceFunctionSql,
  restoreFunctionSql,
} from '../sql/function-sql.ts';
import classes from '../structure.module.css';
import { SqlForm } from './sql-form.tsx';

interface CreateFunctionFormProps {
  readonly source: string;
  readonly initial: FunctionDraft;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function CreateFunctionForm({ source, initial, onDone, onClose }: CreateFunctionFormProps) {
  return (
    <SqlForm<FunctionDraft>
      source={source}
      initial={initial}
      validate={functionErrors}
      sqlOf={(draft) => (draft.name.trim() === '' ? '' : createFunctionSql(draft))}
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
              label="Schema"
              required
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps('schema')}
            />
          </div>
          <TextInput
            label="Result"
            description="A type, setof a type, table (columns), trigger or void"
            required
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('result')}
          />
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

interface FunctionFormProps {
  readonly source: string;
  readonly called: PresentFunction;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function ReplaceFunctionForm({ source, called, onDone, onClose }: FunctionFormProps) {
  return (
    <SqlForm<DefinitionDraft>
      source={source}
      initial={{ definition: called.definition.trim(), comment: called.comment ?? '' }}
      validate={definitionErrors}
      sqlOf={(draft) => replaceFunctionSql(called, draft)}
      undoOf={() => restoreFunctionSql(called)}
      submit="Replace the function"
      done={`Function ${tableLabel(called)} changed`}
      onDone={onDone}
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

export function DropFunctionForm({ source, called, onDone, onClose }: FunctionFormProps) {
  const { oid, schema, name } = called;
  return (
    <SqlForm<{ readonly cascade: boolean }>
      source={source}
      initial={{ cascade: false }}
      sqlOf={({ cascade }) => dropFunctionSql(called, cascade)}
      undoOf={({ cascade }) => (cascade ? undefined : restoreFunctionSql(called))}
      drop={({ cascade }) => ({ object: { kind: 'function', oid, called: { schema, name } }, cascade })}
      submit="Drop the function"
      isRemoval
      done={`Function ${tableLabel(called)} dropped`}
      onDone={onDone}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Text size="sm">
            {tableLabel(called)}({called.arguments}){called.result === null ? '' : `: ${called.result}`}
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
