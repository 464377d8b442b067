/** Presets of permissions on remote schemas: arguments, and members of input objects. */
import {
  type ArgumentNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type NameNode,
  type ObjectFieldNode,
  parseConstValue,
  parseType,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import { holdsPresets, type Preset, presetsOf, upstreamName, viewTypeNames } from '../../model/remote/schema-view.ts';
import type { RemoteSchema, RemoteStep, RemoteTemplate } from '../../model/types/table.ts';
import { printLiteral } from '../../schema/remote/literal.ts';
import type { PlanContext } from '../context/context.ts';
import { VariableReference } from '../document/arguments.ts';
import type { SessionValue } from '../plan/remote.ts';

/** A session variable that is sent as a variable of the request to the remote schema. */
export interface SessionInput {
  readonly variable: string;
  readonly name: string;
  /** The type declared by the remote schema. */
  readonly type: GraphQLInputType;
  readonly definition: VariableDefinitionNode;
}

type Session = Map<string, SessionInput>;

/** Returns what is sent for the variables. Of an enum only the values in `view`, the role's view, may be sent. */
export function sessionValues(inputs: readonly SessionInput[], view: GraphQLSchema): readonly SessionValue[] {
  return inputs.map(({ variable, name, type }) => {
    const named = getNamedType(type);
    const own = isEnumType(named) ? view.getType(viewTypeNames(view).get(named.name) ?? named.name) : undefined;
    const enumValues = isEnumType(own) ? new Set(own.getValues().map((value) => value.name)) : undefined;
    return { variable, name, type, enumValues };
  });
}

/** Returns the arguments of `field` with presets. */
export function presetArguments(
  remote: RemoteSchema,
  parent: GraphQLNamedType,
  field: GraphQLField<unknown, unknown>,
  session: Session,
): readonly ArgumentNode[] {
  const presets = presetsOf(field);
  if (presets.size === 0) return [];
  const owner = remote.upstream.getType(upstreamName(parent));
  const declared = isObjectType(owner) || isInterfaceType(owner) ? owner.getFields()[upstreamName(field)] : undefined;
  return (declared?.args ?? []).flatMap(({ name, type }): ArgumentNode[] => {
    const preset = presets.get(name);
    return preset === undefined
      ? []
      : [{ kind: Kind.ARGUMENT, name: nameNode(name), value: presetValue(preset, type, session) }];
  });
}

/** Adds the presets of its input type to the argument. Variables in objects with presets are settled. */
export function withPresets(
  context: PlanContext,
  remote: RemoteSchema,
  argument: ArgumentNode,
  type: GraphQLInputType,
  session: Session,
): ArgumentNode {
  if (!holdsPresets(type)) return argument;
  return { ...argument, value: fill(context, remote, argument.value, type, session) };
}

/**
 * Returns the presets of the input objects of each argument that the relationship supplies, in objects and lists of the
 * same structure as the template. `field` is a field of the role's view.
 */
export function suppliedPresets(
  context: PlanContext,
  remote: RemoteSchema,
  field: GraphQLField<unknown, unknown>,
  { arguments: supplied }: RemoteStep,
  session: Session,
): readonly ArgumentNode[] {
  return field.args.flatMap(({ name, type }): ArgumentNode[] => {
    const template = Object.hasOwn(supplied, name) ? supplied[name] : undefined;
    if (template === undefined || !holdsPresets(type)) return [];
    const empty: ArgumentNode = { kind: Kind.ARGUMENT, name: nameNode(name), value: emptied(template) };
    return [withPresets(context, remote, empty, type, session)];
  });
}

/** Returns the objects and lists of a template without their values. */
function emptied(template: RemoteTemplate): ValueNode {
  if (template.kind === 'list') return { kind: Kind.LIST, values: template.items.map(emptied) };
  if (template.kind !== 'object') return { kind: Kind.NULL };
  const fields = Object.entries(template.fields).flatMap(([name, member]): ObjectFieldNode[] => {
    const value = emptied(member);
    return value.kind === Kind.NULL ? [] : [{ kind: Kind.OBJECT_FIELD, name: nameNode(name), value }];
  });
  return { kind: Kind.OBJECT, fields };
}

function fill(
  context: PlanContext,
  remote: RemoteSchema,
  node: ValueNode,
  type: GraphQLInputType,
  session: Session,
): ValueNode {
  const nullable = getNullableType(type);
  if (node.kind === Kind.VARIABLE) {
    if (!holdsPresets(type)) return node;
    const value = context.settle(new VariableReference(node.name.value));
    return value === undefined ? node : fill(context, remote, literalOf(value, type), type, session);
  }
  if (isListType(nullable)) {
    if (node.kind !== Kind.LIST) return fill(context, remote, node, nullable.ofType, session);
    return { ...node, values: node.values.map((item) => fill(context, remote, item, nullable.ofType, session)) };
  }
  if (!isInputObjectType(nullable) || node.kind !== Kind.OBJECT) return node;
  const declared = nullable.getFields();
  const given = node.fields.map((field): ObjectFieldNode => {
    const own = declared[field.name.value];
    return own === undefined ? field : { ...field, value: fill(context, remote, field.value, own.type, session) };
  });
  return { ...node, fields: [...given, ...presetMembers(remote, nullable, session)] };
}

function presetMembers(remote: RemoteSchema, type: GraphQLNamedType, session: Session): readonly ObjectFieldNode[] {
  const own = remote.upstream.getType(upstreamName(type));
  if (!isInputObjectType(own)) return [];
  return [...presetsOf(type)].flatMap(([name, preset]): ObjectFieldNode[] => {
    const declared = own.getFields()[name];
    if (declared === undefined) return [];
    return [{ kind: Kind.OBJECT_FIELD, name: nameNode(name), value: presetValue(preset, declared.type, session) }];
  });
}

/** Returns the literal of a preset. `type` is a type of the remote schema. */
function presetValue(preset: Preset, type: GraphQLInputType, session: Session): ValueNode {
  switch (preset.kind) {
    case 'static':
      return preset.value;
    case 'session': {
      const written = String(type);
      const suffix = written.replaceAll('[', 'L').replaceAll(']', '').replaceAll('!', 'N');
      // The name is determined by the session variable and the type, so that the fields of a request share it.
      const variable = `joinery_${preset.name.replaceAll(/[^0-9a-z]/g, '_')}_${suffix}`;
      const node = { kind: Kind.VARIABLE, name: nameNode(variable) } as const;
      session.set(variable, {
        variable,
        name: preset.name,
        type,
        definition: { kind: Kind.VARIABLE_DEFINITION, variable: node, type: parseType(written) },
      });
      return node;
    }
    case 'object': {
      const named = getNamedType(type);
      const declared = isInputObjectType(named) ? named.getFields() : {};
      const fields = [...preset.members].flatMap(([name, member]): ObjectFieldNode[] => {
        const own = declared[name];
        if (own === undefined) return [];
        return [{ kind: Kind.OBJECT_FIELD, name: nameNode(name), value: presetValue(member, own.type, session) }];
      });
      return { kind: Kind.OBJECT, fields };
    }
    case 'list': {
      const nullable = getNullableType(type);
      const item = isListType(nullable) ? nullable.ofType : type;
      return { kind: Kind.LIST, values: preset.items.map((one) => presetValue(one, item, session)) };
    }
    default:
      return preset satisfies never;
  }
}

/** Returns a valid JSON value of `type` as a literal. */
function literalOf(value: unknown, type: GraphQLInputType): ValueNode {
  const nullable = getNullableType(type);
  if (value === null || value === undefined) return { kind: Kind.NULL };
  if (isListType(nullable)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return { kind: Kind.LIST, values: items.map((item) => literalOf(item, nullable.ofType)) };
  }
  if (isInputObjectType(nullable)) {
    const declared = nullable.getFields();
    const fields = Object.entries(value).flatMap(([name, member]): ObjectFieldNode[] => {
      const own = declared[name];
      if (own === undefined || member === undefined) return [];
      return [{ kind: Kind.OBJECT_FIELD, name: nameNode(name), value: literalOf(member, own.type) }];
    });
    return { kind: Kind.OBJECT, fields };
  }
  if (isEnumType(nullable)) return { kind: Kind.ENUM, value: String(value) };
  return parseConstValue(printLiteral(value, nullable));
}

function nameNode(value: string): NameNode {
  return { kind: Kind.NAME, value };
}
