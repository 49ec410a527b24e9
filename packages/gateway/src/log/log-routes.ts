import type { LogPage, LogPages, LogQuery } from './log-pages.ts'
import type { ReadLine } from './read-line.ts'
import { answers, type GatewayRoute, ok, serviceRoute } from '../server/gateway-route.ts'
import { z } from 'zod'

const levelShape = z.enum(['debug', 'info', 'warn', 'error'])

const lineShape = z
  .strictObject({
    id: z.string().describe('Stable, and the same in the list and in the stream'),
    time: z.int(),
    level: levelShape,
    message: z.string(),
    fields: z.record(z.string(), z.unknown()).describe('What the line says besides, without secrets'),
  })
  .meta({ id: 'LogLine', description: 'A line of the log' })

const listQuery = z.strictObject({
  level: levelShape.optional().describe('Lines of this level and above'),
  q: z.string().min(1).max(200).optional().describe('A text that the line has, in whatever case; no pattern'),
  day: z.iso.date().optional().describe('Lines of this day alone (UTC)'),
  before: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d:\d{1,15}$/, 'is not the id of a line')
    .optional()
    .describe('`next` of the page before, or the id of a line'),
  limit: z.coerce.number().int().min(1).max(500).default(200).describe('Most lines of an answer'),
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

async function* eventsOf(
  lines: AsyncIterable<ReadLine>,
): AsyncGenerator<{ readonly type: 'line'; readonly line: unknown }> {
  for await (const line of lines) yield { type: 'line', line: toLineView(line) }
}

/** `/api/logs` */
export const logRoutes = (logs: LogPages): readonly GatewayRoute[] => [
  serviceRoute({
    method: 'GET',
    path: '/api/logs',
    id: 'listLogs',
    scope: 'admin',
    summary: 'Lines of the log files of this process, newest first',
    query: listQuery,
    answers: answers(
      'A page',
      z.strictObject({
        items: z.array(lineShape),
        next: z
          .string()
          .nullable()
          .describe('Go on with it as `before`: a page may hold less than was asked for, and even nothing'),
        days: z.array(z.iso.date()).describe('Days (UTC) of which there are files, newest first'),
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
    summary: 'What is logged from now on, as server-sent events',
    stream: true,
    answers: answers('One event a line', z.strictObject({ type: z.literal('line'), line: lineShape })),
    errors: ['stopping'],
    handle: async ({ signal }) => ({ events: eventsOf(logs.follow(signal)) }),
  }),
]
