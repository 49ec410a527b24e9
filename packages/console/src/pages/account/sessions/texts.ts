import { pluralize, defineTexts } from '../../../language/texts.ts'

/** Texts of the sessions section. */
export const sessionTexts = defineTexts({
  en: {
    title: 'Sessions',
    lead: 'Devices that are signed in to your account. If you don’t recognize one, sign it out and change your password.',
    device: (browser: string, system: string) => `${browser} on ${system}`,
    unknown: 'Unknown device',
    here: 'This device',
    from: (ip: string) => `IP address ${ip}`,
    since: 'signed in',
    seen: 'last active',
    end: 'Sign out',
    endOf: (device: string, ip: string) => `Sign out ${device} (${ip})`,
    endHere: 'Sign out',
    ended: 'Session signed out.',
    endOthers: 'Sign out all other sessions',
    endOthersTitle: 'Sign out all other sessions?',
    endOthersLead: (count: number) =>
      `This signs out ${pluralize(count, 'other session', 'other sessions')}. You stay signed in here.`,
    othersEnded: 'All other sessions signed out.',
  },
  zh: {
    title: '登录设备',
    lead: '已登录此账号的设备。如发现陌生设备，请将其退出登录并修改密码。',
    device: (browser, system) => `${system} 上的 ${browser}`,
    unknown: '未知设备',
    here: '当前设备',
    from: (ip) => `IP ${ip}`,
    since: '登录于',
    seen: '上次活动',
    end: '退出登录',
    endOf: (device, ip) => `退出 ${device}（${ip}）`,
    endHere: '退出登录',
    ended: '该设备已退出登录。',
    endOthers: '退出其他所有设备',
    endOthersTitle: '退出其他所有设备？',
    endOthersLead: (count) => `将退出其他 ${count} 台设备，当前设备保持登录。`,
    othersEnded: '其他所有设备已退出登录。',
  },
})
