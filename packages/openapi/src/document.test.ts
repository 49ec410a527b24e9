import { expect, it } from 'vitest'
import { type ApiDescription, type ApiOperation, createOpenApiDocument } from './document.ts'

const toRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const list: ApiOperation = {
  id: 'listBots',
  method: 'GET',
  path: '/bots',
  tag: 'bots',
  summary: 'List bots',
  answers: { 200: { description: 'The bots', schema: toRef('Bots') } },
}
const document = (operations: readonly ApiOperation[], more: Partial<ApiDescription> = {}) =>
  createOpenApiDocument({
    openapi: '3.1.0',
    info: { title: 'Bots', version: '1' },
    servers: [{ url: '/' }],
    tags: [{ name: 'bots' }],
    operations,
    schemas: { Bot: { type: 'object' }, Bots: { type: 'array', items: toRef('Bot') }, Other: { type: 'string' } },
    securitySchemes: {},
    ...more,
  })

it('describes an operation with what it has, and nothing else', () => {
  expect(document([list])).toEqual({
    openapi: '3.1.0',
    info: { title: 'Bots', version: '1' },
    servers: [{ url: '/' }],
    tags: [{ name: 'bots' }],
    paths: {
      '/bots': {
        get: {
          operationId: 'listBots',
          tags: ['bots'],
          summary: 'List bots',
          responses: {
            200: { description: 'The bots', content: { 'application/json': { schema: toRef('Bots') } } },
          },
        },
      },
    },
    components: {
      schemas: { Bot: { type: 'object' }, Bots: { type: 'array', items: toRef('Bot') } },
      securitySchemes: {},
    },
  })
})

it('gathers the methods of a path below its parameters', () => {
  const pathParameters = [{ name: 'id', in: 'path', required: true }]
  const get = { ...list, path: '/bots/{id}', pathParameters }
  const { paths } = document([
    get,
    list,
    { ...get, id: 'saveBot', method: 'PUT', body: { required: true, schema: toRef('Bot'), example: { name: 'a' } } },
  ])
  expect(paths).toMatchObject({
    '/bots/{id}': {
      parameters: pathParameters,
      get: { operationId: 'listBots' },
      put: {
        operationId: 'saveBot',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: toRef('Bot'), example: { name: 'a' } } },
        },
      },
    },
  })
})

it('lists errors by status', () => {
  const errors = [
    { code: 'unknown_bot', status: 404, message: 'No such bot.' },
    { code: 'bot_busy', status: 409, message: 'The bot is busy.' },
    { code: 'unknown_account', status: 404, message: 'No such account.' },
  ]
  const { paths } = document([{ ...list, errors }], { errorSchema: toRef('Other') })
  expect(paths).toMatchObject({
    '/bots': {
      get: {
        responses: {
          404: { description: '`unknown_bot`: No such bot.\n`unknown_account`: No such account.' },
          409: { content: { 'application/json': { schema: toRef('Other') } } },
        },
      },
    },
  })
})
