/** Converts an unsaved rule to a `where` condition of the admin, with values for session variables. */
import type { JsonObject } from '../../../api/json.ts';
import { isSessionVariable } from '../../../shared/roles/known-names.ts';
import { operatorNamed } from '../../../shared/rules/operators.ts';
import { type Comparison, type Group, type RuleNode, writeRule } from '../../../shared/rules/rule.ts';
import type { RuleTable } from '../../../shared/rules/rule-table.ts';
import { itemsOfArray, parseValue } from '../../../shared/rules/rule-values.ts';
import type { TableName } from '../../../shared/sources/table-paths.ts';

/** The condition, or why there is none. */
export type PreviewWhere = { readonly where: JsonObject } | { readonly why: string };

export interface PreviewTerms {
  /** Session variables with names in lower case. */
  readonly session: Readonly<Record<string, string>>;
  readonly prefix: string;
  readonly tableNamed: (table: TableName) => Promise<RuleTable | undefined>;
}

/** Converts a rule. Rethrows errors of `tableNamed`. */
export async function asWhere(rule: Group, table: RuleTable, terms: PreviewTerms): Promise<PreviewWhere> {
  try {
    return { where: writeRule(await group(rule, table, terms)) };
  } catch (thrown) {
    if (thrown instanceof UnsupportedRule) return { why: thrown.message };
    throw thrown;
  }
}

/** Thrown for rules that a request cannot express. */
class UnsupportedRule extends Error {}

async function group(of: Group, table: RuleTable, terms: PreviewTerms): Promise<Group> {
  const nodes: RuleNode[] = [];
  for (const node of of.of) nodes.push(await replaced(node, table, terms));
  return { ...of, of: nodes };
}

async function replaced(node: RuleNode, table: RuleTable, terms: PreviewTerms): Promise<RuleNode> {
  switch (node.kind) {
    case 'group':
      return group(node, table, terms);
    case 'compare':
      return comparison(node, table, terms);
    case 'related': {
      const target = table.relationships.find((one) => one.name === node.relationship)?.target;
      const behind = target && (await terms.tableNamed(target));
      if (behind === undefined) throw new UnsupportedRule(`the target of “${node.relationship}” is unknown`);
      return { ...node, where: await group(node.where, behind, terms) };
    }
    case 'exists':
      throw new UnsupportedRule('only a saved rule can use rows of any table (_exists)');
    case 'raw':
      throw new UnsupportedRule(
        `only a saved rule can contain ${node.name === undefined ? 'such a condition' : `“${node.name}”`}`,
      );
    default:
      return node satisfies never;
  }
}

function comparison(node: Comparison, table: RuleTable, { session, prefix }: PreviewTerms): Comparison {
  const operator = operatorNamed(node.operator);
  if (operator?.argument === 'column') {
    throw new UnsupportedRule(`only a saved rule can compare “${node.column}” with another column`);
  }
  const type = table.columns.find((one) => one.name === node.column)?.type ?? 'text';
  const item = (value: unknown, as: string): unknown => {
    if (!isSessionVariable(value, prefix)) return value;
    const { value: typed, problem } = parseValue(sessionValue(value, session), as, prefix);
    if (problem !== undefined) throw new UnsupportedRule(`${value} is no value of a column of type ${as}`);
    return typed;
  };
  const listed = operator?.argument === 'list' || operator?.argument === 'texts';
  const elements = operator?.argument === 'texts' ? 'text' : type;
  const { value } = node;
  if (listed && isSessionVariable(value, prefix)) {
    const items = itemsOfArray(sessionValue(value, session));
    if (items === undefined)
      throw new UnsupportedRule(`${value} must be a list as PostgreSQL writes it, such as {1,2}`);
    return { ...node, value: items.map((one) => parseValue(one, elements, prefix).value) };
  }
  if (Array.isArray(value)) return { ...node, value: value.map((one) => item(one, listed ? elements : 'text')) };
  const as = operator?.argument === 'boolean' ? 'bool' : operator?.argument === 'text' ? 'text' : type;
  return { ...node, value: item(value, as) };
}

function sessionValue(name: string, session: PreviewTerms['session']): string {
  const value = session[name.toLowerCase()];
  if (value === undefined) throw new UnsupportedRule(`the session variable ${name} has no value`);
  return value;
}
