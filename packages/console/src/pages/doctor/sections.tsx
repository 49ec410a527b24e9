import type { ReactNode } from 'react'
import type { Check, DoctorReport, Fix } from '../../api/gateway-api.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { type Platform, PlatformMark, platformTexts } from '../../parts/platform.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { type CheckText, describeCheck, splitRemedy } from './check-texts.ts'
import style from './doctor.module.css'
import { countStatuses, toVerdict } from './report.ts'
import { doctorTexts } from './texts.ts'
import { type RepairStep, useRepair } from './use-repair.ts'

const TONES = { pass: 'good', warn: 'warn', fail: 'bad' } as const satisfies Record<string, Tone>

interface SectionProps {
  readonly mark: ReactNode
  readonly title: string
  readonly checks: readonly Check[]
  readonly actions?: ReactNode
  readonly busy?: boolean
  /** @param isFirst Whether it is the first check with this fix. */
  readonly renderFix?: (fix: Fix, isFirst: boolean) => ReactNode
}

/** Checks of one platform. Passed ones are collapsed. */
function Section({ mark, title, checks, actions, busy = false, renderFix }: SectionProps): ReactNode {
  const texts = useTexts(doctorTexts)
  const tally = countStatuses(checks)
  const verdict = toVerdict(tally)
  const wrong = checks.filter(({ status }) => status !== 'pass')
  const right = checks.filter(({ status }) => status === 'pass')
  const nowMs = Math.max(...checks.map(({ at }) => at ?? 0))
  return (
    <section className={style['section']} aria-label={title} aria-busy={busy}>
      <header className={style['sectionHead']}>
        {mark}
        <h2>{title}</h2>
        <Badge tone={TONES[verdict]} dot>
          {texts.status[verdict]}
        </Badge>
        <span className={style['actions']}>{actions}</span>
      </header>
      {wrong.length > 0 && (
        <ul className={style['checks']}>
          {wrong.map((check) => (
            <CheckRow
              key={check.id}
              check={check}
              nowMs={nowMs}
              fix={check.fix && renderFix?.(check.fix, check === findFirstWith(check.fix, wrong))}
            />
          ))}
        </ul>
      )}
      {right.length > 0 && (
        <details className={style['passed']}>
          <summary>
            <Icon name="check" size={16} /> {texts.passed(right.length)}
          </summary>
          <ul className={style['checks']}>
            {right.map((check) => (
              <CheckRow key={check.id} check={check} nowMs={nowMs} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

const findFirstWith = ({ kind }: Fix, checks: readonly Check[]): Check | undefined =>
  checks.find(({ fix }) => fix?.kind === kind)

/** Checks without a platform, or of a platform unknown to this page. */
export function OwnSection({
  subject,
  title,
  checks,
}: {
  readonly subject: NonNullable<DoctorReport['sections'][number]['subject']> | undefined
  /** The service's own title, for a subject unknown to this page. */
  readonly title: string
  readonly checks: readonly Check[]
}): ReactNode {
  const { own } = useTexts(doctorTexts)
  const mark = (
    <span className={style['serviceMark']} aria-hidden="true">
      <Icon name="doctor" size={22} />
    </span>
  )
  return <Section mark={mark} title={subject === undefined ? title : (own[subject] ?? title)} checks={checks} />
}

/** The checks of a platform with their fixes. */
export function PlatformSection({
  platform,
  checks,
}: {
  readonly platform: Platform
  readonly checks: readonly Check[]
}): ReactNode {
  const texts = useTexts(doctorTexts)
  const title = useTexts(platformTexts)[platform]
  const { step, recheck, fix: onFix } = useRepair(platform)
  const again = (
    <Button small busy={step === 'checking'} disabled={step === 'fixing'} onClick={recheck}>
      {step === null ? <Icon name="refresh" size={16} /> : null}
      {step === 'checking' ? texts.checking : texts.againHere}
      <span className="visually-hidden"> ({title})</span>
    </Button>
  )
  return (
    <Section
      mark={<PlatformMark platform={platform} />}
      title={title}
      checks={checks}
      actions={again}
      busy={step !== null}
      renderFix={(fix, isFirst) => (
        <FixButton fix={fix} kind={isFirst ? 'primary' : 'secondary'} platform={platform} step={step} onFix={onFix} />
      )}
    />
  )
}

interface FixButtonProps {
  readonly fix: Fix
  readonly kind: 'primary' | 'secondary'
  readonly platform: Platform
  readonly step: RepairStep
  onFix(act: 'enable' | 'restart'): void
}

/** Fixes a check, or links to the page where it's done. */
function FixButton({ fix, kind: look, platform, step, onFix }: FixButtonProps): ReactNode {
  const texts = useTexts(doctorTexts)
  const { kind } = fix
  switch (kind) {
    case 'enable':
    case 'restart':
      return (
        <Button kind={look} small busy={step === 'fixing'} disabled={step === 'checking'} onClick={() => onFix(kind)}>
          {step === 'fixing' ? texts.fixing : texts.fixes[kind]}
        </Button>
      )
    case 'set_up':
    case 'invite':
      return (
        <ButtonLink
          small
          kind={look}
          to="/channels/$platform/setup"
          params={{ platform }}
          search={kind === 'invite' ? { kind } : {}}
        >
          {texts.fixes[kind]}
        </ButtonLink>
      )
    case 'dead_letters':
      return (
        <ButtonLink small kind={look} to="/failed">
          {texts.fixes[kind]}
        </ButtonLink>
      )
    default:
      return null // from a newer service: the remedy explains it
  }
}

const ICONS = { pass: 'check', warn: 'warn', fail: 'fail' } as const satisfies Record<Check['status'], IconName>

/** Checks run within this time of the others don't show their own. */
const SAME_TIME_MS = 10_000

/** A check with its result and remedy. */
function CheckRow({
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
        <p className={style['result']}>{said.result}</p>
        {said.evidence !== null && <p className={style['evidence']}>{said.evidence}</p>}
        <Remedy said={said} fix={fix} />
      </div>
    </li>
  )
}

/** Shortens a URL to host and path. */
function shortenUrl(text: string): string {
  const url = URL.parse(text)
  return url === null ? text : `${url.host}${url.pathname.replace(/\/$/, '')}`
}

function Remedy({ said: { remedy }, fix }: { readonly said: CheckText; readonly fix: ReactNode }): ReactNode {
  const texts = useTexts(doctorTexts)
  if (remedy === null && !fix) return null
  return (
    <div className={style['remedy']}>
      {remedy !== null && (
        <p>
          <strong>{texts.remedy}</strong>{' '}
          {splitRemedy(remedy).map(({ text, isUrl }) =>
            isUrl ? (
              <a key={text} href={text} target="_blank" rel="noreferrer">
                {shortenUrl(text)}
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
