import { counted, defineTexts } from '../../../language/texts.ts'

/** Words of the list of sessions. */
export const sessionTexts = defineTexts({
  en: {
    title: 'Where you are signed in',
    lead: 'Do you see one that is not yours? End it, then change your password.',
    device: (browser: string, system: string) => `${browser} on ${system}`,
    unknown: 'Unknown device',
    here: 'This browser',
    from: (ip: string) => `From ${ip}`,
    since: 'signed in',
    seen: 'last active',
    end: 'Sign out',
    endOf: (device: string, ip: string) => `Sign out ${device}, from ${ip}`,
    endHere: 'Sign out here',
    ended: 'That device is signed out.',
    endOthers: 'Sign out everywhere else',
    endOthersTitle: 'Sign out everywhere else?',
    endOthersLead: (count: number) =>
      `${counted(count, 'other place is', 'other places are')} signed out. You stay signed in here.`,
    othersEnded: 'You are signed out everywhere else.',
  },
  zh: {
    title: '登录设备',
    lead: '发现陌生的登录？请将其退出，然后更改密码。',
    device: (browser, system) => `${system} 上的 ${browser}`,
    unknown: '未知设备',
    here: '当前浏览器',
    from: (ip) => `来自 ${ip}`,
    since: '登录时间',
    seen: '上次活动',
    end: '退出登录',
    endOf: (device, ip) => `退出 ${device}（来自 ${ip}）`,
    endHere: '在此退出登录',
    ended: '该设备已退出登录。',
    endOthers: '退出其他所有设备',
    endOthersTitle: '退出其他所有设备？',
    endOthersLead: (count) => `将退出其他 ${count} 处登录，当前浏览器保持登录。`,
    othersEnded: '其他所有设备已退出登录。',
  },
})
