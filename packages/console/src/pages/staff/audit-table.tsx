import type { ReactNode } from 'react'
import { accountName } from './staff-page.tsx'
import style from './staff.module.css'
import { actionTexts, auditTexts } from './audit-texts.ts'
import type { Account, AuditLine } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/language.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { classNames } from '../../parts/button.tsx'
import { Table } from '../../parts/table.tsx'
import { Clock } from '../../parts/time.tsx'

/** The entries of the audit log. @param accounts Accounts whose names are known. */
export function AuditTable({
  lines,
  accounts,
}: {
  readonly lines: readonly AuditLine[]
  readonly accounts: readonly Account[]
}): ReactNode {
  const texts = useTexts(auditTexts)
  return (
    <Table
      label={texts.title}
      rows={lines}
      rowKey={({ id }) => id}
      columns={[
        { title: texts.when, cell: ({ at }) => <Clock at={at} /> },
        { title: texts.who, cell: (line) => <Actor line={line} accounts={accounts} /> },
        { title: texts.what, cell: ({ action }) => <Action action={action} /> },
        { title: texts.target, cell: ({ target }) => (target === null ? '–' : <code>{target}</code>) },
        { title: texts.from, cell: (line) => <Source line={line} /> },
        { title: texts.outcome, cell: (line) => <Outcome line={line} /> },
      ]}
    />
  )
}

interface WhoProps {
  readonly line: AuditLine
  readonly accounts: readonly Account[]
}

function Actor({ line, accounts }: WhoProps): ReactNode {
  const texts = useTexts(auditTexts)
  const about = accounts.find(({ id }) => id === line.account)
  const actor = useActor(line, accounts)
  const isOther = line.account !== null && about?.user?.id !== line.actor
  return (
    <span className={style['two']}>
      {actor}
      {isOther && (
        <span className={style['soft']}>
          {texts.ofAccount(about === undefined ? (line.account ?? '') : accountName(about))}
        </span>
      )}
    </span>
  )
}

function useActor({ actor, actor_kind: kind }: AuditLine, accounts: readonly Account[]): string {
  const texts = useTexts(auditTexts)
  switch (kind) {
    case 'owner':
      return texts.owner
    case 'session': {
      const own = accounts.find(({ user }) => user?.id === actor)
      return own === undefined ? texts.user(actor) : accountName(own)
    }
    case 'token':
      return texts.token(actor)
    case 'client':
      return texts.client(actor)
    case 'system':
      return texts.system
    case 'visitor':
      return texts.visitor
    default:
      return actor // from a newer service
  }
}

function Action({ action }: { readonly action: string }): ReactNode {
  const words: Readonly<Record<string, string | undefined>> = useTexts(actionTexts)
  return (
    <span className={style['two']}>
      {words[action]}
      <code className={classNames(style['soft'], style['word'])}>{action}</code>
    </span>
  )
}

const Source = ({ line: { ip, user_agent: agent } }: { readonly line: AuditLine }): ReactNode =>
  ip === null && agent === null ? (
    '–'
  ) : (
    <span className={style['two']}>
      {ip}
      {agent !== null && (
        <span className={style['agent']} title={agent}>
          {agent}
        </span>
      )}
    </span>
  )

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', refused: 'warn', failed: 'bad' }

function Outcome({ line: { outcome, code } }: { readonly line: AuditLine }): ReactNode {
  const texts: Readonly<Record<string, string>> = useTexts(auditTexts).outcomes
  return (
    <span className={style['two']}>
      <Badge tone={TONES[outcome] ?? 'neutral'}>{texts[outcome] ?? outcome}</Badge>
      {code !== null && <code className={classNames(style['soft'], style['word'])}>{code}</code>}
    </span>
  )
}
