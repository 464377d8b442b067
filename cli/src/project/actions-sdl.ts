/** Parses `actions.graphql` with places that name the file. */
import { type ParsedActions, placeOf, readActionsSdl, SdlError } from '@joinery/metadata/sdl/actions';
import type { ASTNode } from 'graphql';
import { CliError, type Place } from '../cli-error.ts';

export interface SdlFile extends ParsedActions {
  place(node: ASTNode): Place;
}

/** Throws CliError with line and column of `file`. */
export function readSdlFile(sdl: string, file: string): SdlFile {
  try {
    return { ...readActionsSdl(sdl), place: (node) => ({ file, ...placeOf(node) }) };
  } catch (error) {
    if (!(error instanceof SdlError)) throw error;
    const { message, line, column } = error;
    throw new CliError({ message, place: { file, line, column } }, { cause: error });
  }
}
