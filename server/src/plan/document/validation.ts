/** Validates documents against the schema of a role. Every error has a path. */
import {
  type DocumentNode,
  ExecutableDefinitionsRule,
  FragmentsOnCompositeTypesRule,
  GraphQLError,
  type GraphQLSchema,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  LoneAnonymousOperationRule,
  MaxIntrospectionDepthRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  PossibleFragmentSpreadsRule,
  ScalarLeafsRule,
  TypeInfo,
  UniqueArgumentNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  ValidationContext,
  type ValidationRule,
  VariablesAreInputTypesRule,
  validate,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { pathFinder } from './validation-path.ts';
import { fittingLiterals, fittingVariables, knownArguments, knownFields, knownTypes } from './validation-rules.ts';

/**
 * Unused fragments and variables are allowed, as in Hasura v2. Fields that share a response key are compared when they
 * are collected, which is cheaper than the rule that compares all pairs.
 */
const rules: readonly ValidationRule[] = [
  ExecutableDefinitionsRule,
  UniqueOperationNamesRule,
  LoneAnonymousOperationRule,
  knownTypes,
  FragmentsOnCompositeTypesRule,
  VariablesAreInputTypesRule,
  ScalarLeafsRule,
  knownFields,
  parsed(UniqueFragmentNamesRule),
  KnownFragmentNamesRule,
  PossibleFragmentSpreadsRule,
  NoFragmentCyclesRule,
  parsed(UniqueVariableNamesRule),
  NoUndefinedVariablesRule,
  KnownDirectivesRule,
  UniqueDirectivesPerLocationRule,
  knownArguments,
  UniqueArgumentNamesRule,
  fittingLiterals,
  fittingVariables,
  UniqueInputFieldNamesRule,
  MaxIntrospectionDepthRule,
];

/** Returns the rule with errors of the code `parse-failed`, which Hasura v2 has for names that are defined twice. */
function parsed(rule: ValidationRule): ValidationRule {
  return (context) => {
    const report = (error: GraphQLError): void => {
      const originalError = new ServiceError('parse-failed', error.message);
      context.reportError(new GraphQLError(error.message, { nodes: error.nodes ?? null, originalError }));
    };
    return rule(
      new ValidationContext(context.getSchema(), context.getDocument(), new TypeInfo(context.getSchema()), report),
    );
  };
}

/** All validation errors of a document. The error itself has the properties of the first. */
export class InvalidDocument extends ServiceError {
  /** At least one, in the order of the document. */
  readonly errors: readonly ServiceError[];

  constructor(first: ServiceError, others: readonly ServiceError[]) {
    super(first.code, first.message, { path: first.path, missingField: first.missingField, hint: first.hint });
    this.name = 'InvalidDocument';
    this.errors = [first, ...others];
  }
}

/** Maximum number of errors in one response. */
const MOST_ERRORS = 20;

/** Throws an InvalidDocument with all validation errors of an invalid document. */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode): void {
  const found = validate(schema, document, rules, { maxErrors: MOST_ERRORS, hideSuggestions: true });
  if (found.length === 0) return;
  const pathOf = pathFinder(document);
  const [first, ...others] = found.map((error) => toServiceError(error, pathOf(error.nodes?.[0])));
  if (first !== undefined) throw new InvalidDocument(first, others);
}

function toServiceError(error: GraphQLError, path: string): ServiceError {
  const { originalError } = error;
  if (originalError instanceof ServiceError) return originalError.under(path);
  return new ServiceError('validation-failed', error.message, { path });
}
