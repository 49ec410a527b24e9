import type { ReactNode } from 'react'
import { type CheckText, splitRemedy, describeCheck } from './check-words.ts'
import style from './doctor.module.css'
import { doctorTexts } from './texts.ts'
import type { Check } from '../../api/gateway-api.ts'
import { useLanguage } from '../../language/language.ts'
import { useTexts } from '../../language/texts.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { RelativeTime } from '../../parts/time.tsx'

const ICONS = { pass: 'check', warn: 'warn', fail: 'fail' } as const satisfies Record<Check['status'], IconName>

/** Checks run within this time of the others don't show their own. */
const SAME_TIME_MS = 10_000

/** A check with its result and remedy. */
export function CheckRow({
  check,
  nowMs,
  fix,
}: {
  readonly check: Check
  /** When the latest check ran. */
  readonly nowMs: number
  readonly fix?: ReactNode
}): ReactNode {
  const texts = useTexts(doctorTexts)
  const { language } = useLanguage()
  const said = describeCheck(check, language)
  const status = check.status in ICONS ? check.status : 'warn'
  return (
    <li className={style['check']} data-status={status} data-check={check.id}>
      <span className={style['sign']}>
        <Icon name={ICONS[status]} />
        <span className="visually-hidden">{texts.status[status]}: </span>
      </span>
      <div className={style['body']}>
        <div className={style['head']}>
          <h3>{said.title}</h3>
          {check.at !== undefined && nowMs - check.at > SAME_TIME_MS && (
            <span className={style['when']}>
              <span className="visually-hidden">{texts.proven} </span>
              <RelativeTime at={check.at} />
            </span>
          )}
        </div>
        <p className={style['says']}>{said.says}</p>
        {said.evidence !== null && (
          <p className={style['evidence']} lang="en">
            {said.evidence}
          </p>
        )}
        <Remedy said={said} fix={fix} />
      </div>
    </li>
  )
}

/** Shortens a URL to host and path. */
function shortAddress(address: string): string {
  const url = URL.parse(address)
  return url === null ? address : `${url.host}${url.pathname.replace(/\/$/, '')}`
}

function Remedy({ said: { remedy }, fix }: { readonly said: CheckText; readonly fix: ReactNode }): ReactNode {
  const texts = useTexts(doctorTexts)
  if (remedy === null && !fix) return null
  return (
    <div className={style['remedy']}>
      {remedy !== null && (
        <p>
          <strong>{texts.remedy}</strong>{' '}
          {splitRemedy(remedy).map(({ text, isAddress }) =>
            isAddress ? (
              <a key={text} href={text} target="_blank" rel="noreferrer">
                {shortAddress(text)}
              </a>
            ) : (
              text
            ),
          )}
        </p>
      )}
      {fix}
    </div>
  )
}
