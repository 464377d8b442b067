/** Compares the plan of a merged statement with those of its requests alone. */
import { isJsonObject, parseJson } from '../../base/json-value.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { MergeForm, Values } from './merge-form.ts';
import { MOST_ITEMS } from './pace.ts';

/** Ratio of the estimated cost per request to that of a statement alone, up to which a plan is good. */
const WORST_RATIO = 1.5;
/** Estimated cost of a merged statement that takes some milliseconds. */
const MOST_COST = 5_000;
/** Estimated cost of a request, beyond which a merged statement saves less than its requests wait for each other. */
const MOST_COST_OF_ITEM = 100;
/** The items of a list that PostgreSQL estimates: the printed statements hide its length. */
export const ESTIMATED_ITEMS = 10;

export interface ComparedPlans {
  readonly database: Database;
  readonly role: string | undefined;
  /** The statement of one request. */
  readonly text: string;
  readonly form: Pick<MergeForm, 'text' | 'values'>;
  /** The values of some requests. */
  readonly values: readonly Values[];
}

/**
 * Returns how many requests a statement should have; 1 where the merged statement costs more for each request than their
 * statements alone, by the estimates of PostgreSQL. A merged statement has one plan for all values, which is worse where the
 * best plan depends on them, as with a column in which most rows have one value. Rejects with the error of PostgreSQL.
 */
export async function mostByPlan(compared: ComparedPlans): Promise<number> {
  const { merged, alone } = await costsOf(compared);
  const together = merged / ESTIMATED_ITEMS;
  if (together > alone * WORST_RATIO || together > MOST_COST_OF_ITEM) return 1;
  return Math.min(MOST_ITEMS, Math.floor(MOST_COST / together));
}

/** Whether the merged statement of joins costs about as much for each key as their statements alone. Rejects as `mostByPlan` does. */
export async function isGoodPlan(compared: ComparedPlans): Promise<boolean> {
  const { merged, alone } = await costsOf(compared);
  // Both are estimated for the same number of keys.
  return merged <= alone * WORST_RATIO;
}

/** Returns the estimated cost of the merged statement, and the mean of those of the requests alone. */
async function costsOf({ database, role, text: single, form, values }: ComparedPlans) {
  const costOf = async (text: string, parameters: Values): Promise<number> => {
    const { rows } = await database.query(
      { text: `explain (format json) ${text}`, values: parameters },
      { role, reads: true },
    );
    return totalCost(parseJson(rows.map(([line]) => line ?? '').join('\n')));
  };
  const merged = await costOf(form.text, form.values(values));
  let alone = 0;
  for (const one of values) alone += (await costOf(single, one)) / values.length;
  return { merged, alone };
}

function totalCost(explained: unknown): number {
  const [first]: readonly unknown[] = Array.isArray(explained) ? explained : [];
  const plan = isJsonObject(first) ? first.Plan : undefined;
  return isJsonObject(plan) ? Number(plan['Total Cost']) : Number.POSITIVE_INFINITY;
}
