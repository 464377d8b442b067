/** The checked response of a handler with the selected fields, whose joins are fetched later. */
import { RawJson } from '../../base/json-value.ts';
import type { OutputPlan } from '../../plan/plan/query.ts';
import { checkOutput, type OnJoin } from './check-output.ts';
import { type GappedText, type JoinPrinter, printOutput } from './output-text.ts';

/** The joins of responses. */
export interface OutputJoins extends JoinPrinter {
  /** Registers a joined field of an object. */
  readonly add: OnJoin;
  /** Sets a joined field of an object to its fetched value, and records its errors. */
  readonly refill: OnJoin;
  /** Whether a fetched value has errors. */
  readonly hasErrors: boolean;
}

/** Text, unless errors need the objects in which they are: their paths are found in the finished response. */
export class Output {
  readonly #plan: OutputPlan;
  readonly #response: unknown;
  readonly #joins: OutputJoins;
  readonly #text: GappedText | undefined;
  readonly #value: unknown;

  /** Throws OutputMismatch if the response does not match its type. */
  constructor(plan: OutputPlan, response: unknown, joins: OutputJoins) {
    const text = printOutput(plan, response, joins);
    this.#plan = plan;
    this.#joins = joins;
    this.#text = text?.hasGaps === true ? text : undefined;
    // Large responses without joins are not retained.
    this.#response = this.#text && response;
    if (text === undefined) this.#value = checkOutput(plan, response, joins.add);
    else if (!text.hasGaps) this.#value = new RawJson(text.text);
  }

  /** Returns a JSON value, after the joins are fetched. */
  value(): unknown {
    if (this.#text === undefined) return this.#value;
    if (this.#joins.hasErrors) return checkOutput(this.#plan, this.#response, this.#joins.refill);
    return new RawJson(this.#text.print());
  }
}
