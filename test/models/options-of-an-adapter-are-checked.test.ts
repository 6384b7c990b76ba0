import { openaiChat } from 'cepa/models/openai-chat'
import { openaiResponses } from 'cepa/models/openai-responses'
import { describe, expect, it } from 'vitest'

const ADAPTERS = { openaiChat, openaiResponses } as const
const config = (message: RegExp) => expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(message) })

describe.each(Object.entries(ADAPTERS))('%s()', (name, adapter) => {
  const made = (options: unknown) => () => adapter(options as never)

  it('refuses a misspelt address, which would send key and prompt elsewhere', () => {
    expect(made({ model: 'm', apiKey: 'k', baseUrl: 'http://127.0.0.1:1' })).toThrow(
      config(new RegExp(`^${name}\\(\\): unknown option "baseUrl"; did you mean baseURL\\?`)),
    )
  })

  it.each([
    ['no options', undefined, /expected an object of options, got undefined/],
    ['an unknown option', { timeoutMs: 3 }, /unknown option "timeoutMs"; expected one of model, apiKey/],
    ['a client that is empty', { client: {} }, /expected client to be a client with .*create\(\), got an object/],
    ['a client that is null', { client: null }, /expected client to be .*got null/],
    ['a client that is half there', { client: { chat: null, responses: {} } }, /expected client to be/],
    ['an address that is no URL', { baseURL: 'nowhere' }, /expected baseURL to be a URL .*got "nowhere"/],
    ['an address without scheme', { baseURL: 'localhost:8000/v1' }, /expected baseURL to be a URL/],
    ['an empty address', { baseURL: '' }, /expected baseURL to be a URL .*got ""/],
    ['a key that is no string', { apiKey: 3 }, /expected apiKey to be a string, got 3/],
    [
      'a key that is a promise',
      { apiKey: Promise.resolve('k') },
      /expected apiKey to be a string, got a Promise; await it/,
    ],
    ['headers that are no object', { headers: 'x: y' }, /expected headers to be an object of strings/],
    ['headers that hold more than strings', { headers: { a: 1 } }, /expected headers to be/],
    ['headers whose entries nobody sees', { headers: new Headers({ a: 'b' }) }, /expected headers to be.*a Headers/],
    ['a fetch that is no function', { fetch: {} }, /expected fetch to be a function/],
    ['a profile that is no object', { profile: 'groq' }, /expected profile to be an object, got "groq"/],
    ['a provider that is no name', { provider: 3 }, /expected provider to be/],
  ])('refuses %s', (_what, options, message) => {
    expect(made(options && { model: 'm', ...(options as object) })).toThrow(config(message))
  })

  it('takes what fits, and undefined for absent', () => {
    const create = async () => ({})
    const client = { chat: { completions: { create } }, responses: { create } }
    expect(made({ model: 'm', client, apiKey: undefined, headers: undefined })).not.toThrow()
    expect(made({ model: 'm', baseURL: 'HTTP://localhost:1/v1', apiKey: '', headers: { a: 'b' } })).not.toThrow()
  })
})

it('refuses wrong types of what openaiResponses() alone has', () => {
  const options = { model: 'm', baseURL: 'http://127.0.0.1:1' }
  expect(() => openaiResponses({ ...options, store: 'no' as never })).toThrow(config(/store to be true or false/))
  expect(() => openaiChat({ ...options, store: true } as never)).toThrow(config(/unknown option "store"/))
})
