import { renderTable, toCode } from './table.ts'
import { withAuth } from './with-auth.ts'

/** The part of the OpenAPI document that is read. */
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

/** Submitted as an HTML form, not called by the client. */
const FORMS: ReadonlySet<string> = new Set(['auth/provider/redirect'])

/** Statuses that any operation can return; mentioned once, above the table. */
const COMMON_STATUSES: ReadonlySet<string> = new Set(['410', '429'])

/** Renders every operation of the JSON API, from its OpenAPI document. */
export const renderApi = (): Promise<string> =>
  withAuth(async (auth) => {
    const response = await auth.fetch(new Request('http://localhost/_allauth/openapi.json'))
    const { paths } = (await response.json()) as ApiDocument // made by `describeApi`
    const rows = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== 'parameters')
        .map(([method, operation]) => ({ tag: operation.tags.join(), cells: toCells(path, method, operation) })),
    )
    return [...Map.groupBy(rows, ({ tag }) => tag)]
      .map(([tag, group]) => {
        const cells = group.map((row) => row.cells)
        return `#### ${tag}\n\n${renderTable(['Request', 'Client method', 'What it does', 'Statuses'], cells)}`
      })
      .join('\n\n')
  }, true)

function toCells(path: string, method: string, { operationId, summary, responses }: Operation): readonly string[] {
  const [, client = '', below = ''] = /^\/_allauth\/([^/]+)\/v1\/(.+)$/.exec(path) ?? []
  const alone = client === '{client}' ? '' : ` Only for ${toCode(client)} clients.`
  return [
    toCode(`${method.toUpperCase()} ${below}`),
    FORMS.has(below) ? '' : toCode(operationId),
    `${summary}.${alone}`,
    FORMS.has(below) ? '302' : listStatuses(responses),
  ]
}

const listStatuses = (responses: Operation['responses']): string =>
  Object.entries(responses)
    // Any operation can return 403 for its token or IP address; only a 403 of its own is listed.
    .filter(
      ([status, { description }]) =>
        !COMMON_STATUSES.has(status) && (status !== '403' || description.startsWith('Not allowed.')),
    )
    .map(([status]) => status)
    .join(', ')
