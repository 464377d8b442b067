/** Derives an action from a GraphQL operation: variables become arguments, the selection becomes the output. Pure. */
import { pascal } from '@joinery/metadata/codegen/layout';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  printType,
  type SelectionSetNode,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { withoutDescriptions } from '../../../ui/editor/sdl-text.ts';

export interface Derived {
  /** SDL of the signature and of the types. */
  readonly signature: string;
  readonly types: string;
}

export function deriveAction(text: string, schema: GraphQLSchema): Derived | { readonly problem: string } {
  let document: DocumentNode;
  try {
    document = parse(text);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { problem: `${error.message}, in line ${error.locations?.[0]?.line ?? 1}` };
  }
  const [problem] = validate(schema, document);
  if (problem !== undefined) return { problem: problem.message };
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const [operation, another] = operations;
  if (operation === undefined || another !== undefined || operation.operation === 'subscription') {
    return { problem: 'write one query or mutation' };
  }
  const fields = operation.selectionSet.selections.filter((one) => one.kind === Kind.FIELD);
  const [root, second] = fields;
  if (root === undefined || second !== undefined) return { problem: 'select one field: it becomes the output' };
  return new Derivation(document, operation, root, schema).derived();
}

/** Types are named after the action, because names of the schema are taken. */
class Derivation {
  readonly #schema: GraphQLSchema;
  readonly #operation: OperationDefinitionNode;
  readonly #root: FieldNode;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #types: ReadonlyMap<FieldNode, GraphQLOutputType>;
  readonly #name: string;
  /** SDL by type name. */
  readonly #printed = new Map<string, string>();
  /** New names of copied schema types. */
  readonly #copies = new Map<string, string>();

  constructor(document: DocumentNode, operation: OperationDefinitionNode, root: FieldNode, schema: GraphQLSchema) {
    this.#schema = schema;
    this.#operation = operation;
    this.#root = root;
    this.#fragments = new Map(
      document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
    );
    this.#types = typesOfFields(document, schema);
    this.#name = this.#freeName(operation.name?.value ?? root.name.value);
  }

  derived(): Derived {
    const given = (this.#operation.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => {
      const written = print(type).replace(/[_A-Za-z]\w*/, (name) => this.#input(name));
      return `    ${variable.name.value}: ${written}${defaultValue === undefined ? '' : ` = ${print(defaultValue)}`}`;
    });
    const list = given.length === 0 ? '' : `(\n${given.join('\n')}\n  )`;
    const output = this.#output(this.#root, `${pascal(this.#name)}Output`);
    const kind = this.#operation.operation === 'query' ? 'Query' : 'Mutation';
    return {
      signature: `type ${kind} {\n  ${this.#name}${list}: ${output}\n}`,
      types: [...this.#printed.values()].join('\n\n'),
    };
  }

  /** Names of root fields are taken. */
  #freeName(wanted: string): string {
    const taken = [this.#schema.getQueryType(), this.#schema.getMutationType()].some(
      (root) => root?.getFields()[wanted] !== undefined,
    );
    return taken ? `${wanted}_action` : wanted;
  }

  /** Returns `[customer!]!` with the name of a type that has the selected fields. */
  #output(field: FieldNode, wanted: string): string {
    const type = this.#types.get(field);
    const named = getNamedType(type);
    if (type === undefined || named === undefined) return 'String';
    const name = field.selectionSet === undefined ? this.#leaf(named) : this.#object(field.selectionSet, wanted);
    return String(type).replace(/[_A-Za-z]\w*/, name);
  }

  #object(selection: SelectionSetNode, wanted: string): string {
    const name = this.#unused(wanted);
    // Reserves its position before the nested types.
    this.#printed.set(name, '');
    const lines = new Map<string, string>();
    for (const field of this.#fieldsIn(selection)) {
      const key = (field.alias ?? field.name).value;
      if (field.name.value === '__typename' || lines.has(key)) continue;
      lines.set(key, `  ${key}: ${this.#output(field, `${pascal(this.#name)}${pascal(key)}`)}`);
    }
    this.#printed.set(name, `type ${name} {\n${[...lines.values()].join('\n')}\n}`);
    return name;
  }

  #fieldsIn({ selections }: SelectionSetNode): readonly FieldNode[] {
    return selections.flatMap((one) => {
      if (one.kind === Kind.FIELD) return [one];
      const inner = one.kind === Kind.INLINE_FRAGMENT ? one : this.#fragments.get(one.name.value);
      return inner === undefined ? [] : this.#fieldsIn(inner.selectionSet);
    });
  }

  #input(name: string): string {
    const type = this.#schema.getType(name);
    return type === undefined ? name : this.#leaf(type);
  }

  /** Scalars exist everywhere. Enums and inputs are copied. */
  #leaf(type: GraphQLNamedType): string {
    if (!isEnumType(type) && !isInputObjectType(type)) return type.name;
    // Enums of tables can be used unchanged.
    if (isEnumType(type) && /(?:_enum|Enum)$/.test(type.name)) return type.name;
    const known = this.#copies.get(type.name);
    if (known !== undefined) return known;
    const name = this.#unused(`${pascal(this.#name)}${pascal(type.name)}`);
    this.#copies.set(type.name, name);
    this.#printed.set(name, '');
    if (isEnumType(type)) {
      this.#printed.set(name, withoutDescriptions(printType(type)).replace(type.name, name));
    } else {
      const fields = Object.values(type.getFields()).map((field) => {
        const written = String(field.type).replace(/[_A-Za-z]\w*/, (inner) => this.#input(inner));
        return `  ${field.name}: ${written}`;
      });
      this.#printed.set(name, `input ${name} {\n${fields.join('\n')}\n}`);
    }
    return name;
  }

  #unused(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#printed.has(name) || this.#schema.getType(name) !== undefined; number += 1) {
      name = `${wanted}${number}`;
    }
    return name;
  }
}

function typesOfFields(document: DocumentNode, schema: GraphQLSchema): ReadonlyMap<FieldNode, GraphQLOutputType> {
  const types = new Map<FieldNode, GraphQLOutputType>();
  const info = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(info, {
      Field: (node) => {
        const type = info.getType();
        if (type) types.set(node, type);
      },
    }),
  );
  return types;
}
