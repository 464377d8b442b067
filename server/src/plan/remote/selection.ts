/** Rewrites selections for a remote schema: its names, presets of the role, and the keys of joins. */
import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  type TypeNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { isChanged, upstreamName, viewTypeNames } from '../../model/remote/schema-view.ts';
import type { Join, JoinKey, RemoteSchema, SelectAccess } from '../../model/types/table.ts';
import { bindingOf } from '../../schema/binding.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import type { ForwardedPlan, RemoteMember } from '../plan/remote.ts';
import { presetArguments, type SessionInput, sessionValues, withPresets } from './presets.ts';

/** A join selected in the response of a remote schema. The planner of joins plans it afterwards. */
export interface SelectedJoin {
  readonly field: SelectedField;
  readonly join: Join;
  /** The role's access to the rows of the target, if the target has rows. */
  readonly access: SelectAccess | undefined;
  /** Returns the response key of a part of the join key. */
  readonly nameOf: (key: JoinKey) => string;
}

/** The state of rewriting one selection. */
interface Writing {
  readonly context: PlanContext;
  readonly remote: RemoteSchema;
  readonly view: GraphQLSchema;
  readonly session: Map<string, SessionInput>;
}

/**
 * Rewrites `field`, which is the field `target` of the type `parent` in the role's view. Variables stay variables,
 * except where presets have to be added to their values.
 */
export function forwardRemote(
  context: PlanContext,
  field: SelectedField,
  { remote, view }: Pick<Writing, 'remote' | 'view'>,
  parent: GraphQLNamedType,
  target: GraphQLField<unknown, unknown>,
): ForwardedPlan<SelectedJoin> {
  const forwarded = context.forward(field.selections, field.arguments);
  if (!isRewritten(remote, view)) return { arguments: field.arguments, ...forwarded, session: [], members: undefined };
  const writing: Writing = { context, remote, view, session: new Map() };
  const args = writeArguments(writing, parent, target, field.arguments);
  const members: Members = new Map();
  const type = getNamedType(target.type);
  const selection = forwarded.selection && writeSelection(writing, forwarded.selection, type, field.path, members);
  const used = new Set<string>();
  for (const node of [...args, ...(selection ? [selection] : [])]) {
    visit(node, { Variable: ({ name }) => void used.add(name.value) });
  }
  const session = [...writing.session.values()];
  const variables = forwarded.variables
    .filter(({ variable }) => used.has(variable.name.value))
    .map((definition) => upstreamDefinition(view, definition));
  return {
    arguments: args,
    selection,
    variables: [...variables, ...session.map(({ definition }) => definition)],
    session: sessionValues(session, view),
    members: members.size > 0 ? listOf(members) : undefined,
  };
}

/** The members by `memberKey`. */
type Members = Map<string, RemoteMember<SelectedJoin>>;

function memberKey(member: RemoteMember<SelectedJoin>): string {
  return member.kind === 'join' ? joinKey(member) : member.alias;
}

/** Objects of several types can have different joins with the same response key. */
function joinKey({ type, alias }: { readonly type: string; readonly alias: string }): string {
  return `${type} ${alias}`;
}

/**
 * Returns objects first and type names last: a join of another type can have the same response key, and is filled in its place, where the
 * name of its type was sent.
 */
function listOf(members: Members): readonly RemoteMember<SelectedJoin>[] {
  const rank = ({ kind }: RemoteMember<SelectedJoin>) => (kind === 'object' ? 0 : kind === 'typename' ? 2 : 1);
  return [...members.values()].sort((one, other) => rank(one) - rank(other));
}

const rewritten = new WeakMap<GraphQLSchema, boolean>();

/** Whether selections have to be rewritten: the view has changed names, presets or joins. */
function isRewritten(remote: RemoteSchema, view: GraphQLSchema): boolean {
  if ((remote.joins?.size ?? 0) > 0) return true;
  if (view === remote.upstream) return false;
  const known = rewritten.get(view) ?? isChanged(view);
  rewritten.set(view, known);
  return known;
}

function writeSelection(
  writing: Writing,
  { selections }: SelectionSetNode,
  type: GraphQLNamedType,
  path: string,
  members: Members,
): SelectionSetNode {
  const written: SelectionNode[] = [];
  const keys = new Map<string, readonly SelectionNode[]>();
  for (const selection of selections) {
    if (selection.kind === Kind.FRAGMENT_SPREAD) continue;
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition;
      const inner = condition === undefined ? type : writing.view.getType(condition.name.value);
      if (inner === undefined) continue;
      const selectionSet = writeSelection(writing, selection.selectionSet, inner, path, members);
      written.push({ ...selection, ...(condition && { typeCondition: named(inner) }), selectionSet });
      continue;
    }
    const definition = isComposite(type) ? type.getFields()[selection.name.value] : undefined;
    if (selection.name.value === '__typename') {
      written.push(selection);
      noteTypename(writing, selection, members);
    } else if (definition === undefined) {
      const alias = keyOf(selection);
      // Reserves the position among the other members, and returns the type of the object.
      if (!keys.has(alias)) written.push({ ...leaf('__typename'), alias: { kind: Kind.NAME, value: alias } });
      keys.set(alias, writeJoin(writing, selection, type, path, members));
    } else {
      written.push(writeField(writing, selection, type, definition, path, members));
    }
  }
  return { kind: Kind.SELECTION_SET, selections: [...written, ...[...keys.values()].flat()] };
}

function writeField(
  writing: Writing,
  node: FieldNode,
  parent: GraphQLNamedType,
  definition: GraphQLField<unknown, unknown>,
  path: string,
  members: Members,
): FieldNode {
  const alias = keyOf(node);
  const name = upstreamName(definition);
  const at = `${path}.selectionSet.${node.name.value}`;
  const below: Members = new Map();
  const known = members.get(alias);
  if (known?.kind === 'object') for (const member of known.members) below.set(memberKey(member), member);
  const type = getNamedType(definition.type);
  const selectionSet = node.selectionSet && writeSelection(writing, node.selectionSet, type, at, below);
  // Without names to map, joins or phantoms, the response is not processed.
  if (below.size > 0) members.set(alias, { kind: 'object', alias, members: listOf(below) });
  return {
    kind: Kind.FIELD,
    ...(alias !== name && { alias: { kind: Kind.NAME, value: alias } }),
    name: { kind: Kind.NAME, value: name },
    arguments: writeArguments(writing, parent, definition, node.arguments ?? []),
    ...(selectionSet && { selectionSet }),
  };
}

function writeArguments(
  { remote, context, session }: Writing,
  parent: GraphQLNamedType,
  field: GraphQLField<unknown, unknown>,
  given: readonly ArgumentNode[],
): readonly ArgumentNode[] {
  const types = new Map(field.args.map((argument) => [argument.name, argument.type]));
  const own = given.map((argument) => {
    const type = types.get(argument.name.value);
    return type === undefined ? argument : withPresets(context, remote, argument, type, session);
  });
  return [...own, ...presetArguments(remote, parent, field, session)];
}

function noteTypename({ view }: Writing, node: FieldNode, members: Members): void {
  const names = viewTypeNames(view);
  const alias = keyOf(node);
  if (names.size > 0) members.set(alias, { kind: 'typename', alias, names });
}

/**
 * Registers the join of a field that the remote schema does not have, or adds the selection to the join with the same response
 * key, which another fragment may have registered. Returns the key fields to select.
 */
function writeJoin(
  { context, remote, session }: Writing,
  node: FieldNode,
  type: GraphQLNamedType,
  path: string,
  members: Members,
): readonly SelectionNode[] {
  const alias = keyOf(node);
  const owner = context.schema.getType(type.name);
  const definition = isComposite(owner) ? owner.getFields()[node.name.value] : undefined;
  const binding = definition && bindingOf(definition);
  const at = `${path}.selectionSet.${node.name.value}`;
  if (definition === undefined || (binding?.kind !== 'join' && binding?.kind !== 'joinAggregate')) {
    throw new ServiceError('validation-failed', `field '${node.name.value}' not found in type: '${type.name}'`, {
      path: at,
    });
  }
  const upstream = upstreamName(type);
  const key = joinKey({ type: upstream, alias });
  const known = members.get(key);
  const first: SelectedField =
    known?.kind === 'join'
      ? known.join.field
      : {
          alias,
          name: node.name.value,
          definition,
          binding,
          arguments: node.arguments ?? [],
          selections: [],
          path: at,
        };
  const field = { ...first, selections: [...first.selections, ...(node.selectionSet ? [node.selectionSet] : [])] };
  const nameOf = ({ name }: JoinKey) => `joinery_${upstream}_${name}`;
  const join = { field, join: binding.join, access: binding.access, nameOf };
  members.set(key, { kind: 'join', alias, type: upstream, join });
  const fields = isComposite(type) ? Object.values(type.getFields()) : [];
  return binding.join.keys.map((part) => {
    const phantom = nameOf(part);
    members.set(phantom, { kind: 'phantom', alias: phantom });
    const seen = fields.find((one) => upstreamName(one) === part.name);
    const args = seen === undefined ? [] : presetArguments(remote, type, seen, session);
    return { ...leaf(part.name), arguments: args, alias: { kind: Kind.NAME, value: phantom } };
  });
}

function isComposite(type: GraphQLNamedType | undefined): type is GraphQLObjectType | GraphQLInterfaceType {
  return isObjectType(type) || isInterfaceType(type);
}

function keyOf({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}

function leaf(name: string): FieldNode {
  return { kind: Kind.FIELD, name: { kind: Kind.NAME, value: name } };
}

function named(type: GraphQLNamedType): NamedTypeNode {
  return { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: upstreamName(type) } };
}

function upstreamDefinition(view: GraphQLSchema, definition: VariableDefinitionNode): VariableDefinitionNode {
  const rename = <Node extends TypeNode>(node: Node): Node => {
    if (node.kind !== Kind.NAMED_TYPE) return { ...node, type: rename(node.type) };
    const type = view.getType(node.name.value);
    return type === undefined ? node : ({ ...node, ...named(type) } as Node);
  };
  return { ...definition, type: rename(definition.type) };
}
