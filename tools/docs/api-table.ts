import { AUTH_ERRORS } from '@gatepost/auth'
import { renderTable, toCode } from './table.ts'
import { withAuth } from './with-auth.ts'

/** The part of a declared operation that is read. */
interface Row {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly clients?: readonly string[]
  readonly access: 'anon' | 'auth'
  readonly tag: string
  readonly summary: string
  readonly input?: readonly { readonly errors?: readonly string[] }[]
  readonly takesForm?: true
  readonly answers: Readonly<Record<number, unknown>>
  readonly errors?: readonly string[]
  readonly conflicts?: readonly string[]
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Errors of rate limits, which any operation can return; mentioned once, above the table. */
const COMMON_ERRORS: ReadonlySet<string> = new Set(['address_unknown', 'rate_limited'])

/** Renders every operation of the JSON API, from its declaration. */
export const renderApi = (): Promise<string> =>
  withAuth(async (auth) => {
    const rows = (await auth.module('headless').loadResources()).flatMap(({ operations }) =>
      Object.values(operations)
        .map(({ row }): Row => row)
        .toSorted((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method)),
    )
    const head = ['Request', 'Client method', 'What it does', 'Statuses', 'Error codes']
    return [...Map.groupBy(rows, ({ tag }) => tag)]
      .map(([tag, group]) => `#### ${tag}\n\n${renderTable(head, group.map(toCells))}`)
      .join('\n\n')
  }, true)

function toCells(row: Row): readonly string[] {
  const { name, method, path, clients, summary, takesForm } = row
  const alone = clients === undefined ? '' : ` Only for ${clients.map(toCode).join(' and ')} clients.`
  return [
    toCode(`${method} ${path}`),
    takesForm === true ? '' : toCode(name), // submitted as an HTML form, not called by the client
    `${summary}.${alone}`,
    takesForm === true ? '302' : listStatuses(row).join(', '),
    formatCodes(row),
  ]
}

/** Returns the code's own status, or `undefined` if it's a code of invalid input. */
const findStatus = (code: string): number | undefined =>
  Object.entries(AUTH_ERRORS).find(([known]) => known === code)?.[1].status

const listInputCodes = ({ input = [], errors = [] }: Row): readonly string[] => [
  ...new Set([
    ...input.flatMap((field) => field.errors ?? []),
    ...errors.filter((code) => findStatus(code) === undefined),
  ]),
]

function listStatuses(row: Row): readonly number[] {
  const { access, answers, input = [], errors = [], conflicts = [] } = row
  const hasInputErrors = input.length > 0 || listInputCodes(row).length > 0
  const statuses = [
    ...Object.keys(answers).map(Number),
    ...(access === 'auth' ? [401] : []),
    ...errors.filter((code) => !COMMON_ERRORS.has(code)).flatMap((code) => findStatus(code) ?? []),
    ...(hasInputErrors ? [400] : []),
    ...(conflicts.length > 0 ? [409] : []),
  ]
  return [...new Set(statuses)].toSorted((a, b) => a - b)
}

function formatCodes(row: Row): string {
  const { conflicts = [] } = row
  const invalid = listInputCodes(row).toSorted().map(toCode).join(', ')
  return [invalid, conflicts.length === 0 ? '' : `409: ${conflicts.map(toCode).join(', ')}`].filter(Boolean).join('; ')
}
