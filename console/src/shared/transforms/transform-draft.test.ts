import { describe, expect, test } from 'vitest';
import {
  emptyRequest,
  emptyResponse,
  readRequest,
  readResponse,
  requestDraftOf,
  requestFromText,
  responseFromText,
  transformErrors,
} from './transform-draft.ts';

const request = {
  version: 2 as const,
  template_engine: 'Kriti' as const,
  method: 'PUT',
  url: '{{$base_url}}/{{$body.id}}',
  body: { action: 'transform' as const, template: '{{$body}}' },
};

describe('a transform as JSON', () => {
  test('is shown by the form, and written back unchanged', () => {
    const draft = requestFromText(emptyRequest, JSON.stringify(request));
    expect(draft.written).toBeUndefined();
    expect(draft).toMatchObject({ method: 'PUT', body: { kind: 'template', template: '{{$body}}' } });
    expect(readRequest(draft)).toEqual(request);
  });

  test('of version 1 is saved as it is, until an input changes', () => {
    const older = { version: 1 as const, body: '{{$body}}' };
    const draft = requestDraftOf(older);
    expect(readRequest(draft)).toEqual(older);
    expect(readRequest({ ...draft, method: 'PUT', written: undefined })).toEqual({
      version: 2,
      template_engine: 'Kriti',
      method: 'PUT',
      body: { action: 'transform', template: '{{$body}}' },
    });
  });

  test('with an error is an error of the form, which keeps the text', () => {
    const text = '{"version": 2, "method": "LOOK"}';
    const draft = requestFromText(emptyRequest, text);
    expect(draft.unread?.text).toBe(text);
    const on = { transformsRequest: true, request: draft, transformsResponse: true, response: emptyResponse };
    expect(Object.keys(transformErrors(on))).toEqual(['request']);
    expect(transformErrors({ ...on, transformsRequest: false })).toEqual({});
  });

  test('of a response has errors by status', () => {
    const response = {
      version: 2 as const,
      template_engine: 'Kriti' as const,
      errors: [{ status: ['4xx'], body: { action: 'transform' as const, template: '{}' } }],
    };
    expect(readResponse(responseFromText(emptyResponse, JSON.stringify(response)))).toEqual(response);
    expect(responseFromText(emptyResponse, '{').unread?.reason).toBeDefined();
  });
});
