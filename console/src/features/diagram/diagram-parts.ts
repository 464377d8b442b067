/** Parts of a diagram: the neighborhood of a table, and the tables of some schemas. Pure. */
import type { Diagram, DiagramTable } from './diagram-model.ts';

/** Number of joins from the table, or `all` tables. */
export type Around = 1 | 2 | 'all';

/** Above this number of tables, a found table is shown with its neighborhood only. */
export const MANY_TABLES = 40;

/** Above this number of tables, boxes show no columns. */
const MANY_COLUMNS = 80;

/** Returns the table and those that at most `steps` joins lead to. */
export function neighborhoodOf(diagram: Diagram, key: string, steps: number): Diagram {
  let reached = new Set([key]);
  for (let step = 0; step < steps; step += 1) {
    const next = new Set(reached);
    for (const { from, to } of diagram.lines) {
      if (reached.has(from)) next.add(to);
      if (reached.has(to)) next.add(from);
    }
    reached = next;
  }
  return only(diagram, (table) => reached.has(table.key));
}

/** Returns the tables of the schemas and the lines between them. All of them for an empty list. */
export function ofSchemas(diagram: Diagram, schemas: readonly string[]): Diagram {
  if (schemas.length === 0) return diagram;
  return only(diagram, ({ table }) => schemas.includes(table.schema));
}

function only({ tables, lines }: Diagram, isShown: (table: DiagramTable) => boolean): Diagram {
  const shown = tables.filter(isShown);
  const keys = new Set(shown.map(({ key }) => key));
  return { tables: shown, lines: lines.filter(({ from, to }) => keys.has(from) && keys.has(to)) };
}

/** Omits the columns where there are too many tables to read them. */
export function withFewColumns(diagram: Diagram): Diagram {
  if (diagram.tables.length <= MANY_COLUMNS) return diagram;
  return { ...diagram, tables: diagram.tables.map((table) => ({ ...table, columns: [], elsewhere: [] })) };
}

/** Returns the schemas, `public` first. */
export function schemasIn({ tables }: Diagram): readonly string[] {
  const names = [...new Set(tables.map(({ table }) => table.schema))];
  return names.sort((one, other) => Number(other === 'public') - Number(one === 'public') || (one < other ? -1 : 1));
}

/** Reads the parameter `around`. By default a neighborhood where there are many tables. */
export function readAround(text: string | null, tables: number): Around {
  if (text === '1' || text === '2') return text === '1' ? 1 : 2;
  return text === 'all' || tables <= MANY_TABLES ? 'all' : 1;
}
