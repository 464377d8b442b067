/** Form that renames and comments an index, a constraint or a type. */
import { TextInput } from '@mantine/core';
import { changeNamedSql, type NameDraft, type NamedObject, nameErrors } from '../sql/name-sql.ts';
import { SqlForm } from './sql-form.tsx';

interface NameFormProps {
  readonly source: string;
  readonly noun: 'index' | 'constraint' | 'type';
  readonly object: NamedObject;
  readonly onClose: () => void;
}

export function NameForm({ source, noun, object, onClose }: NameFormProps) {
  return (
    <SqlForm<NameDraft>
      source={source}
      initial={{ name: object.name, comment: object.comment ?? '' }}
      validate={nameErrors}
      sqlOf={(draft) => changeNamedSql(object, draft)}
      submit={`Change the ${noun}`}
      done={`${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${object.name} changed`}
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <TextInput label="Name" required autoComplete="off" spellCheck={false} {...form.getInputProps('name')} />
          <TextInput label="Comment" autoComplete="off" {...form.getInputProps('comment')} />
        </>
      )}
    </SqlForm>
  );
}
