/** Random functions: computed fields of a scalar, computed fields of rows of a table, and root fields of rows of a table. */
import type { Random } from '../../random.ts';
import { type Column, quote } from './columns.ts';

/** Whether a function has an argument `step`, and whether that has a default. */
export type Step = 'none' | 'optional' | 'required';

/** The user id of the session in the SQL of views and of expected results, which a setting has. */
export const USER_SETTING = 'fuzz.user';
export const USER = `current_setting('${USER_SETTING}')::int`;

/** The default of `step` in SQL. */
export const DEFAULT_STEP = '2';

export interface Routine {
  /** The name of the field. */
  readonly name: string;
  readonly step: Step;
  /** Whether the function has an argument with the session. */
  readonly session: boolean;
  readonly language: 'sql' | 'plpgsql';
  /** Whether the session is before the row. */
  readonly sessionFirst: boolean;
}

export interface ComputedValue extends Routine {
  readonly kind: 'int' | 'bool';
  /** Returns the value for the row with that alias. `step` and `user` are SQL. */
  readonly sql: (row: string, step: string, user: string) => string;
}

export interface ComputedRows extends Routine {
  /** The index of the table whose rows the function returns. */
  readonly target: number;
  /** Returns whether the row `other` of the target belongs to the row. */
  readonly sql: (row: string, other: string, step: string, user: string) => string;
}

/** A root field. */
export interface RootFunction extends Routine {
  /** The index of the table whose rows the function returns. */
  readonly target: number;
  /** Whether the function returns at most one row, the last by primary key. */
  readonly single: boolean;
  /** Returns whether the function returns the row. */
  readonly sql: (row: string, step: string, user: string) => string;
}

export function randomRoutine(random: Random, name: string): Routine {
  return {
    name,
    step: random.pick(['none', 'optional', 'required']),
    session: random.oneIn(2),
    language: random.oneIn(3) ? 'plpgsql' : 'sql',
    sessionFirst: random.oneIn(2),
  };
}

/** Returns up to three computed fields of a table. */
export function randomValues(random: Random, columns: readonly Column[]): readonly ComputedValue[] {
  const numbers = columns.filter(({ kind }) => kind === 'int');
  return Array.from({ length: random.below(4) }, (_, index) => {
    const routine = randomRoutine(random, `value_${index}`);
    const column = quote(random.pick(numbers).name);
    const kind = random.pick(['int', 'bool'] as const);
    return {
      ...routine,
      kind,
      sql: (row, step, user) => {
        const number = `(${row}.${column} + ${routine.step === 'none' ? 1 : step})`;
        return `(${number} ${kind === 'int' ? '*' : '>'} ${routine.session ? user : 2})`;
      },
    };
  });
}

export function randomRows(random: Random, name: string, target: number): ComputedRows {
  const routine = randomRoutine(random, name);
  const column = random.pick(['owner', 'id']);
  return {
    ...routine,
    target,
    sql: (row, other, step, user) =>
      [
        `${other}.${column} >= ${row}.${column}`,
        ...(routine.step === 'none' ? [] : [`${other}.id > ${step}`]),
        ...(routine.session ? [`${other}.owner <> ${user}`] : []),
      ].join(' and '),
  };
}

export function randomFunction(random: Random, name: string, target: number): RootFunction {
  const routine = randomRoutine(random, name);
  const single = random.oneIn(4);
  return {
    ...routine,
    // A function in PL/pgSQL would need a variable for the row.
    language: single ? 'sql' : routine.language,
    ...{ target, single },
    sql: (row, step, user) =>
      [
        `${row}.id > 1`,
        ...(routine.step === 'none' ? [] : [`coalesce(${row}.owner, 0) >= ${step}`]),
        ...(routine.session ? [`${row}.owner is distinct from ${user}`] : []),
      ].join(' and '),
  };
}

/** Returns the statement that creates the function. `row`: the type of the row, if it has one. `body`: a select, or a change that returns rows. */
export function functionSql(
  name: string,
  { step, session, language, sessionFirst }: Routine,
  row: string | undefined,
  returns: string,
  body: (row: string, step: string, user: string) => string,
  volatility: 'stable' | 'volatile' = 'stable',
): string {
  const user = `(s ->> 'x-service-user-id')::int`;
  const rows = row === undefined ? [] : [`r ${row}`];
  const sessions = session ? ['s json'] : [];
  const given = [
    ...(sessionFirst ? [...sessions, ...rows] : [...rows, ...sessions]),
    ...(step === 'none' ? [] : [`step int${step === 'optional' ? ` default ${DEFAULT_STEP}` : ''}`]),
  ];
  const text = body('r', 'step', user);
  const result = returns.startsWith('setof') ? `query ${text}` : `(${text})`;
  const code = language === 'sql' ? text : `begin return ${result}; end`;
  return `create function ${quote(name)}(${given.join()}) returns ${returns} language ${language} ${volatility} as $$ ${code} $$;`;
}

/** Returns the name of the function of a computed field. */
export function functionName({ name }: Routine, table: { readonly name: string }): string {
  return `${name} of ${table.name}`;
}
