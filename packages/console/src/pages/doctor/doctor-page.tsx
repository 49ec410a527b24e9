import type { ReactNode } from 'react'
import style from './doctor.module.css'
import { countStatuses, toVerdict } from './report.ts'
import { OwnSection, PlatformSection } from './sections.tsx'
import { doctorTexts } from './texts.ts'
import type { DoctorReport } from '../../api/gateway-api.ts'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { isPlatform } from '../../parts/platform.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Clock } from '../../parts/time.tsx'

/** The page of checks of the service and all connected platforms. */
export function Page(): ReactNode {
  const texts = useTexts(doctorTexts)
  const report = useCall('diagnose', {})
  const again = (
    <Button busy={report.isFetching} onClick={() => void report.refetch()}>
      {!report.isFetching && <Icon name="refresh" />}
      {texts.again}
    </Button>
  )
  return (
    <Sheet title={texts.title} lead={texts.lead} actions={again}>
      {report.data === undefined && report.error === null && (
        <>
          <p className={style['asking']}>{texts.asking}</p>
          <Loading lines={6} />
        </>
      )}
      {report.error !== null && <Failure error={report.error} onRetry={() => void report.refetch()} />}
      {report.data !== undefined && (
        <>
          <Overall report={report.data} atMs={report.dataUpdatedAt} />
          <Sections report={report.data} />
        </>
      )}
    </Sheet>
  )
}

const ICONS = { pass: 'check', warn: 'warn', fail: 'fail' } as const satisfies Record<string, IconName>

function Overall({ report, atMs }: { readonly report: DoctorReport; readonly atMs: number }): ReactNode {
  const texts = useTexts(doctorTexts)
  const tally = countStatuses(report.sections.flatMap(({ checks }) => checks))
  const verdict = toVerdict(tally)
  const headlines = {
    pass: texts.verdict.pass,
    warn: texts.verdict.warn(tally.warn),
    fail: texts.verdict.fail(tally.fail),
  }
  return (
    <div className={style['overall']} data-status={verdict}>
      <span className={style['overallSign']}>
        <Icon name={ICONS[verdict]} size={26} />
      </span>
      <div>
        <p className={style['headline']} role="status">
          {headlines[verdict]}
        </p>
        <p className={style['overallLead']}>
          {texts.verdictLead[verdict]} {texts.checkedAt} <Clock at={atMs} />
        </p>
      </div>
    </div>
  )
}

function Sections({ report }: { readonly report: DoctorReport }): ReactNode {
  const texts = useTexts(doctorTexts)
  const platforms = report.sections.flatMap(({ platform, checks }) =>
    platform !== null && isPlatform(platform) ? [{ platform, checks }] : [],
  )
  const others = report.sections.filter(({ platform }) => platform === null || !isPlatform(platform))
  return (
    <div className={style['sections']}>
      {platforms.map(({ platform, checks }) => (
        <PlatformSection key={platform} platform={platform} checks={checks} />
      ))}
      {others.map(({ subject, title, checks }) => (
        <OwnSection key={title} subject={subject} title={title} checks={checks} />
      ))}
      {platforms.length === 0 && (
        <Empty
          icon="channels"
          title={texts.noneTitle}
          actions={
            <ButtonLink kind="primary" to="/channels">
              {texts.toChannels}
            </ButtonLink>
          }
        >
          {texts.none}
        </Empty>
      )}
    </div>
  )
}
