/** Which operation of a text a run executes. Pure. */
import type { NamedOperation } from '../../../shared/graphql/operation-draft.ts';

/** Returns the operation that contains `offset`, else the last one before it, else the first. */
export function operationAt(operations: readonly NamedOperation[], offset: number): NamedOperation | undefined {
  return operations.findLast(({ from }) => from <= offset) ?? operations[0];
}

/**
 * Returns the text to send. A document is invalid where one of several operations has no name, or two have the same:
 * the other operations become spaces then, so that the positions in errors stay the same.
 */
export function textToSend(
  text: string,
  operations: readonly NamedOperation[],
  operation: NamedOperation | undefined,
): string {
  const names = new Set(operations.map(({ name }) => name));
  const isValid = operations.length < 2 || (names.size === operations.length && !names.has(undefined));
  if (operation === undefined || isValid) return text;
  return operations
    .filter(({ from }) => from !== operation.from)
    .reduce(
      (sent, { from, to }) => sent.slice(0, from) + sent.slice(from, to).replace(/[^\n]/g, ' ') + sent.slice(to),
      text,
    );
}
