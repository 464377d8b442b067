/** The members of a selection: fragments inlined, @skip and @include resolved, occurrences of one response key merged. */
import {
  type ArgumentNode,
  type DirectiveNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  print,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { bindingOf } from '../../schema/binding.ts';
import type { VariableSource } from '../document/arguments.ts';
import type { SelectedField } from './context.ts';

/** The inputs for collecting the fields of one operation. */
export interface Selecting {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: VariableSource;
  /** Called for each field; throws when the operation has too many. */
  readonly count: () => void;
}

/** A field whose occurrences are being merged. */
interface Merging extends SelectedField {
  readonly selections: SelectionSetNode[];
}

/** Returns the members of an object of `type` in the order of their first occurrence. */
export function collectFields(
  selecting: Selecting,
  type: GraphQLNamedType,
  selections: readonly SelectionSetNode[],
  path: string,
): readonly SelectedField[] {
  const fields = new Map<string, Merging>();
  const spread = new Set<string>();
  for (const selection of selections) gather(selecting, type, selection, path, fields, spread);
  return [...fields.values()];
}

function gather(
  selecting: Selecting,
  type: GraphQLNamedType,
  set: SelectionSetNode,
  path: string,
  fields: Map<string, Merging>,
  spread: Set<string>,
): void {
  for (const selection of set.selections) {
    if (!isIncluded(selection.directives, selecting.variables)) continue;
    switch (selection.kind) {
      case Kind.FIELD: {
        const alias = selection.alias?.value ?? selection.name.value;
        const { name, selectionSet } = selection;
        const args = selection.arguments ?? [];
        const known = fields.get(alias);
        if (known === undefined) {
          selecting.count();
          fields.set(alias, select(selecting.schema, type, alias, name.value, args, path, selectionSet));
        } else {
          rejectConflict(known, name.value, args);
          if (selectionSet !== undefined) known.selections.push(selectionSet);
        }
        break;
      }
      case Kind.INLINE_FRAGMENT:
        if (applies(selecting.schema, selection.typeCondition?.name.value, type)) {
          gather(selecting, type, selection.selectionSet, path, fields, spread);
        }
        break;
      case Kind.FRAGMENT_SPREAD: {
        const fragment = selecting.fragments.get(selection.name.value);
        if (fragment === undefined || spread.has(selection.name.value)) break;
        spread.add(selection.name.value);
        if (applies(selecting.schema, fragment.typeCondition.name.value, type)) {
          gather(selecting, type, fragment.selectionSet, path, fields, spread);
        }
        break;
      }
      default:
        selection satisfies never;
    }
  }
}

function select(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  alias: string,
  name: string,
  args: readonly ArgumentNode[],
  path: string,
  selectionSet: SelectionSetNode | undefined,
): Merging {
  const definition = definitionOf(schema, type, name);
  return {
    alias,
    name,
    definition,
    binding: definition && bindingOf(definition),
    arguments: args,
    selections: selectionSet === undefined ? [] : [selectionSet],
    path: `${path}.selectionSet.${name}`,
  };
}

function definitionOf(schema: GraphQLSchema, type: GraphQLNamedType, name: string): SelectedField['definition'] {
  if (name === '__typename') return undefined;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

/** Whether a fragment with type condition `condition` applies to objects of `type`. */
function applies(schema: GraphQLSchema, condition: string | undefined, type: GraphQLNamedType): boolean {
  if (condition === undefined || condition === type.name) return true;
  const named = schema.getType(condition);
  return isAbstractType(named) && (isObjectType(type) || isInterfaceType(type)) && schema.isSubType(named, type);
}

/** Whether @skip and @include let the selection be part of the response. */
export function isIncluded(directives: readonly DirectiveNode[] | undefined, variables: VariableSource): boolean {
  for (const directive of directives ?? []) {
    const wanted = { skip: false, include: true }[directive.name.value];
    const condition = directive.arguments?.find((argument) => argument.name.value === 'if')?.value;
    if (wanted === undefined || condition === undefined) continue;
    const value =
      condition.kind === Kind.VARIABLE
        ? variables.settle(condition.name.value)
        : condition.kind === Kind.BOOLEAN && condition.value;
    if ((value === true) !== wanted) return false;
  }
  return true;
}

/** Throws if two fields share a response key but differ. Cheaper than the validation rule, which compares all pairs. */
function rejectConflict(known: SelectedField, name: string, args: readonly ArgumentNode[]): void {
  if (known.name !== name) {
    throw new ServiceError(
      'validation-failed',
      `selection of both '${known.name}' and '${name}' specify the same response name, '${known.alias}'; give one of them an alias`,
      { path: known.path },
    );
  }
  if (known.arguments !== args && printed(known.arguments) !== printed(args)) {
    throw new ServiceError(
      'validation-failed',
      `inconsistent arguments between multiple selections of field '${name}'; give one of them an alias`,
      { path: known.path },
    );
  }
}

function printed(args: readonly ArgumentNode[]): string {
  return args.map(print).sort().join(', ');
}
