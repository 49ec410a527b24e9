import type { LogPage, LogPages, LogQuery } from './log-pages.ts'
import type { ReadLine } from './read-line.ts'
import { answers, type GatewayRoute, ok, serviceRoute } from '../server/gateway-route.ts'
import { z } from 'zod'

const levelShape = z.enum(['debug', 'info', 'warn', 'error'])

const lineShape = z
  .strictObject({
    id: z.string().describe('Stable id, the same in the list and the stream'),
    time: z.int(),
    level: levelShape,
    message: z.string(),
    fields: z.record(z.string(), z.unknown()).describe('Additional members of the line, without secrets'),
  })
  .meta({ id: 'LogLine', description: 'A line of the log' })

const listQuery = z.strictObject({
  level: levelShape.optional().describe('Lowest level'),
  q: z.string().min(1).max(200).optional().describe('Text to find, in any case'),
  day: z.iso.date().optional().describe('Only lines of this day (UTC)'),
  before: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d:\d{1,15}$/, 'not a line id')
    .optional()
    .describe('`next` of the previous page, or a line id'),
  limit: z.coerce.number().int().min(1).max(500).default(200).describe('Maximum number of lines'),
})

const toLineView = ({ id, atMs, level, message, fields }: ReadLine): z.input<typeof lineShape> => ({
  id,
  time: atMs,
  level,
  message,
  fields,
})

const toPageBody = ({ lines, next, days }: LogPage): unknown => ({ items: lines.map(toLineView), next, days })

const toLogQuery = ({ level, q, day, before, limit }: z.output<typeof listQuery>): LogQuery => ({
  level: level ?? 'debug',
  text: q ?? null,
  day: day ?? null,
  before: before ?? null,
  limit,
})

async function* streamLines(
  lines: AsyncIterable<ReadLine>,
): AsyncGenerator<{ readonly type: 'line'; readonly line: unknown }> {
  for await (const line of lines) yield { type: 'line', line: toLineView(line) }
}

/** Routes below `/api/logs`. */
export const logRoutes = (logs: LogPages): readonly GatewayRoute[] => [
  serviceRoute({
    method: 'GET',
    path: '/api/logs',
    id: 'listLogs',
    scope: 'admin',
    summary: 'Log lines of this process, newest first',
    query: listQuery,
    answers: answers(
      'A page of log lines',
      z.strictObject({
        items: z.array(lineShape),
        next: z
          .string()
          .nullable()
          .describe('Pass it as `before` for the next page. A page may have fewer lines than the limit, or none'),
        days: z.array(z.iso.date()).describe('Days (UTC) that have log files, newest first'),
      }),
    ),
    errors: [],
    handle: async ({ query, signal }) => ok(toPageBody(await logs.page(toLogQuery(query), signal))),
  }),
  serviceRoute({
    method: 'GET',
    path: '/api/logs/stream',
    id: 'streamLogs',
    scope: 'admin',
    summary: 'New log lines, as server-sent events',
    stream: true,
    answers: answers('One event per line', z.strictObject({ type: z.literal('line'), line: lineShape })),
    errors: ['stopping'],
    handle: async ({ signal }) => ({ events: streamLines(logs.follow(signal)) }),
  }),
]
