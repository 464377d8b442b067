/** A draft of a form with the same value as text, such as JSON. Each follows the changes of the other. Pure. */
import { jsonProblem, parseExactly, printPretty } from '../../../api/exact-json.ts';
import { sentence } from '../../format.ts';

/** Converts a draft to a value and back. */
export interface JsonFormat<Draft> {
  readonly write: (draft: Draft) => unknown;
  /** Returns the reason when the form cannot show the value. */
  readonly read: (json: unknown) => Draft | Unreadable;
}

/** Why a form cannot show a value. */
export class Unreadable {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export interface DraftBesideText<Draft> {
  /** The last draft that could be read. */
  readonly draft: Draft;
  /** The value as JSON text. It is what is saved. */
  readonly text: string;
  /** Why the form cannot show the text. Undefined while draft and text are the same value. */
  readonly reason: string | undefined;
}

export function besideOf<Draft>(format: JsonFormat<Draft>, draft: Draft): DraftBesideText<Draft> {
  return { draft, text: printPretty(format.write(draft)), reason: undefined };
}

/** Returns the state for a saved value, whose draft can be unknown to the form. `empty` is the draft to start with then. */
export function besideSaved<Draft>(format: JsonFormat<Draft>, saved: unknown, empty: Draft): DraftBesideText<Draft> {
  return withText(format, besideOf(format, empty), printPretty(saved));
}

/** Returns the state for a changed text. The draft stays when the form cannot show the text. */
export function withText<Draft>(
  format: JsonFormat<Draft>,
  { draft }: DraftBesideText<Draft>,
  text: string,
): DraftBesideText<Draft> {
  const problem = jsonProblem(text);
  if (problem !== undefined) return { draft, text, reason: sentence(problem) };
  const read = format.read(parseExactly(text));
  return read instanceof Unreadable ? { draft, text, reason: read.reason } : { draft: read, text, reason: undefined };
}
