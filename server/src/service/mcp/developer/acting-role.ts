/** Runs operations of a developer as a role with session variables. */
import { z } from 'zod';
import { sessionOfUser } from '../../../auth/acting-user.ts';
import type { McpCaller } from '../tool.ts';

export const actingArguments = {
  role: z.string().min(1).default('admin').describe('The role to act as.'),
  session_variables: z
    .record(z.string(), z.string())
    .default({})
    .describe('Session variables of that role, such as {"x-service-user-id": "1"}.'),
};

interface Acting {
  readonly role: string;
  readonly session_variables: Readonly<Record<string, string>>;
}

/** Returns the caller with a session of the role. `prefix` is lower case, such as `x-service-`. */
export function actingCaller(caller: McpCaller, { role, session_variables }: Acting, prefix: string): McpCaller {
  const session = sessionOfUser(
    { ...session_variables, [`${prefix}role`]: role },
    prefix,
    '$.arguments.session_variables',
  );
  return { ...caller, session };
}
