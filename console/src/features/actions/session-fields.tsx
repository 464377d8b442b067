/** Inputs for the role and the session variables of a request. */
import { Autocomplete, Textarea } from '@mantine/core';
import form from '../../ui/form/form.module.css';
import { sentence } from '../../ui/format.ts';

interface SessionFieldsProps {
  /** Suggested roles beside `admin`. */
  readonly roles: readonly string[];
  readonly role: string;
  readonly onRole: (role: string) => void;
  /** Session variables as text, one in each line. */
  readonly session: string;
  readonly onSession: (session: string) => void;
  /** Why the session variables are invalid. */
  readonly problem: string | undefined;
}

export function SessionFields({ roles, role, onRole, session, onSession, problem }: SessionFieldsProps) {
  return (
    <div className={form.pair}>
      <Autocomplete label="As role" placeholder="admin" data={['admin', ...roles]} value={role} onChange={onRole} />
      <Textarea
        label="Session variables"
        placeholder="user-id: 1"
        spellCheck={false}
        autosize
        minRows={1}
        value={session}
        error={problem === undefined ? undefined : sentence(problem)}
        onChange={(event) => onSession(event.currentTarget.value)}
      />
    </div>
  );
}
