import type { LogLine, Operations, Traffic } from '../api/gateway-api.ts'

/**
 * Returns fixed data for responses that differ between runs: measured times and the log.
 * @returns `null` to use the service's own response
 */
export function fixedResponse(url: URL, madeAtMs: number): unknown {
  if (url.pathname.endsWith('/api/figures')) {
    return traffic(Number(url.searchParams.get('from')), Number(url.searchParams.get('to')))
  }
  return url.pathname.endsWith('/api/logs') ? log(madeAtMs) : null
}

const STEP_MS = 15 * 60_000

/** Traffic of a quiet night and a busy day. */
function traffic(from: number, to: number): Traffic {
  const steps = Array.from({ length: Math.round((to - from) / STEP_MS) }, (_, step) => step)
  const line = (size: number, phase: number): readonly number[] =>
    steps.map((step) => Math.round(size * (1 + Math.sin((step + phase) / 9)) + (step % 4)))
  const of = (platform: 'telegram' | 'feishu', size: number): Traffic['platforms'][number] => ({
    platform,
    received: line(size, 0),
    answered: line(size, 0),
    failed: steps.map((step) => (step % 31 === 7 ? 1 : 0)),
    delivered: line(size, 1),
    refused: steps.map((step) => (step % 37 === 5 ? 1 : 0)),
    unknown: steps.map(() => 0),
  })
  const answerMs = steps.map((step) => ({ p50: 300 + (step % 7) * 20, p95: 900 + (step % 11) * 60 }))
  return {
    from,
    to,
    step_ms: STEP_MS,
    platforms: [of('telegram', 9), of('feishu', 4)],
    answer_ms: answerMs,
    totals: {
      received: 1_430,
      answered: 1_427,
      failed: 6,
      delivered: 1_433,
      refused: 4,
      unknown: 0,
      answer_ms: { p50: 340, p95: 1_200 },
    },
  }
}

function log(madeAtMs: number): Operations['listLogs']['answer'] {
  const line = (at: number, level: LogLine['level'], message: string, fields: LogLine['fields'] = {}): LogLine => ({
    id: `2026-02-03:${at}`,
    time: madeAtMs + at * 1000,
    level,
    message,
    fields,
  })
  return {
    items: [
      line(9, 'error', 'The harbour does not answer', { platform: 'feishu', status: 502 }),
      line(7, 'warn', 'The harbour is slow', { platform: 'feishu', seconds: 4 }),
      line(5, 'info', 'A message of the harbour was answered', { platform: 'telegram', account: 'owner' }),
      line(2, 'info', 'The harbour is open', { platform: 'telegram', state: 'running' }),
      line(1, 'debug', 'The harbour opens'),
    ],
    next: null,
    days: ['2026-02-03'],
  }
}
