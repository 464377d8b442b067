/** The metadata API as a function: the document and the response after a command. */
import { type Document, type Entry, emptyDocument, type Problem, sameDocument } from './documents.ts';
import { type Command, find, Rejected } from './edit.ts';
import { edits } from './edits.ts';
import { newProblems, problemsOf, withoutProblems } from './problems.ts';

/** The code of a command that would make objects inconsistent. The API has several codes for it. */
export const INCONSISTENT = 'inconsistent';

/** The response to a command: its code, `undefined` if it succeeds. */
export interface Outcome {
  readonly document: Document;
  readonly code: string | undefined;
  /** The codes of the elements of `bulk_keep_going`. */
  readonly codes?: readonly (string | undefined)[];
}

/** Commands that treat what depends on an object themselves, so that a bulk checks them alone. */
const checkedAlone = new Set([
  'rename_relationship',
  'untrack_table',
  'drop_relationship',
  'drop_query_collection',
  'drop_query_from_collection',
  'remove_remote_schema',
  'drop_remote_schema_permissions',
]);

/** A document in the arguments of `replace_metadata`, which the sender converts to the form of exports. */
export interface Replacement extends Entry {
  readonly document: Document;
  /** Undefined: the short form of the command, in which the arguments are the metadata. */
  readonly allow_inconsistent_metadata: boolean | undefined;
}

/** Runs a command on the model. A rejected command leaves the document as it is. */
export function run(document: Document, command: Command): Outcome {
  try {
    const codes = command.type === 'bulk_keep_going' ? [] : undefined;
    return { document: after(document, command, codes), code: undefined, ...(codes && { codes }) };
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    return { document, code: error.code };
  }
}

function after(document: Document, command: Command, codes: (string | undefined)[] = []): Document {
  const { type, args } = command;
  switch (type) {
    case 'bulk':
      return bulk(document, elementsOf(args));
    case 'bulk_atomic':
      return edited(document, elementsOf(args));
    case 'bulk_keep_going':
      return elementsOf(args).reduce((current, element) => {
        const outcome = run(current, element);
        codes.push(outcome.code);
        return outcome.document;
      }, document);
    case 'replace_metadata':
      return replace(document, args as Replacement);
    case 'clear_metadata':
      return { ...emptyDocument, cron: excluded(document), upstreams: document.upstreams };
    case 'drop_inconsistent_metadata':
      return withoutProblems(document, problemsOf);
    case 'reload_metadata':
      return document;
    case 'reload_remote_schema': {
      const key = `remote ${JSON.stringify(find(document.remotes, 'name', args.name))}`;
      if (problemsOf(document).some((one) => one.key === key)) throw new Rejected(INCONSISTENT);
      return document;
    }
    default:
      return checked(document, edit(document, command), command);
  }
}

export function elementsOf(args: Entry): readonly Command[] {
  return args.elements as readonly Command[];
}

function edit(document: Document, { type, args }: Command): Document {
  const found = edits[type];
  if (found === undefined) throw new Rejected('parse-failed');
  return found(document, args);
}

/** Applies edits and checks their result, as one edit. */
function edited(document: Document, elements: readonly Command[]): Document {
  const result = elements.reduce(edit, document);
  if (newProblems(document, result).length > 0) throw new Rejected(INCONSISTENT);
  return result;
}

function checked(before: Document, result: Document, { type, args }: Command): Document {
  const cascades = checkedAlone.has(type) && type !== 'drop_query_collection' && args.cascade === true;
  if (cascades) return withoutProblems(result, (current) => newProblems(before, current));
  if (newProblems(before, result).length > 0) throw new Rejected(INCONSISTENT);
  return result;
}

/** Edits in a row are checked together, as one may need what a later one adds; where that fails, each alone. */
function bulk(document: Document, elements: readonly Command[]): Document {
  let current = document;
  let rest = elements;
  while (rest.length > 0) {
    const end = rest.findIndex(({ type }) => checkedAlone.has(type) || edits[type] === undefined);
    const row = end < 0 ? rest : rest.slice(0, Math.max(end, 1));
    current = end === 0 ? after(current, row[0] as Command) : together(current, row);
    rest = rest.slice(row.length);
  }
  return current;
}

function together(document: Document, row: readonly Command[]): Document {
  try {
    return edited(document, row);
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    return row.reduce((current, element) => after(current, element), document);
  }
}

function excluded({ cron }: Document): readonly Entry[] {
  return cron.filter((one) => one.include_in_metadata !== true);
}

/** Replaces all but the cron triggers that exports leave out. */
function replace(current: Document, { document, allow_inconsistent_metadata }: Replacement): Document {
  const kept = excluded(current);
  const own = document.cron.filter((one) => one.include_in_metadata === true);
  if (own.some(({ name }) => kept.some((one) => one.name === name))) throw new Rejected('already-exists');
  const result = { ...document, cron: [...own, ...kept], upstreams: current.upstreams };
  if (allow_inconsistent_metadata !== true && problemsOf(result).some(rejects)) throw new Rejected(INCONSISTENT);
  return result;
}

/** An operation that does not fit the schema does not reject metadata: it fails when it is called. */
function rejects({ type }: Problem): boolean {
  return type !== 'query_collections';
}

/** Whether a command with this outcome increments the resource version. */
export function isChange(before: Document, { document }: Outcome): boolean {
  return !sameDocument(before, document);
}
