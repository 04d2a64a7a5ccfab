<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>tidemark::ui::AllocationsPanel</name>
    <message numerus="yes">
        <source>%1: %Ln allocation(s), %2</source>
        <translation>
            <numerusform>%1: %Ln allocation, %2</numerusform>
            <numerusform>%1: %Ln allocations, %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %Ln allocation(s), %2 requested, %3 of them came and went</source>
        <translation>
            <numerusform>%1: %Ln allocation, %2 requested, %3 of them came and went</numerusform>
            <numerusform>%1: %Ln allocations, %2 requested, %3 of them came and went</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln row(s) copied.</source>
        <translation>
            <numerusform>%Ln row copied.</numerusform>
            <numerusform>%Ln rows copied.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The first %Ln row(s) copied; %1 more were selected.</source>
        <translation>
            <numerusform>The first row copied; %1 more were selected.</numerusform>
            <numerusform>The first %Ln rows copied; %1 more were selected.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CompareAnswer</name>
    <message numerus="yes">
        <source>%Ln warning(s)</source>
        <translation>
            <numerusform>%Ln warning</numerusform>
            <numerusform>%Ln warnings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>(%Ln more)</source>
        <translation>
            <numerusform>(%Ln more)</numerusform>
            <numerusform>(%Ln more)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Comparison</name>
    <message numerus="yes">
        <source>%Ln place(s) are equal</source>
        <translation>
            <numerusform>%Ln place is equal</numerusform>
            <numerusform>%Ln places are equal</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>× %Ln block(s)</source>
        <translation>
            <numerusform>× %Ln block</numerusform>
            <numerusform>× %Ln blocks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ConfigFile</name>
    <message numerus="yes">
        <source>%Ln setting(s) have no meaning here.</source>
        <translation>
            <numerusform>%Ln setting has no meaning here.</numerusform>
            <numerusform>%Ln settings have no meaning here.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CorrectionsModel</name>
    <message numerus="yes">
        <source>%Ln allocation(s), %1 in all, %2 at the peak</source>
        <translation>
            <numerusform>%Ln allocation, %1 in all, %2 at the peak</numerusform>
            <numerusform>%Ln allocations, %1 in all, %2 at the peak</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::DifferenceIcicle</name>
    <message numerus="yes">
        <source>%1: %2 (%3), in %Ln allocation(s)</source>
        <translation>
            <numerusform>%1: %2 (%3), in %Ln allocation</numerusform>
            <numerusform>%1: %2 (%3), in %Ln allocations</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::EventsPanel</name>
    <message numerus="yes">
        <source>%Ln event(s)</source>
        <translation>
            <numerusform>%Ln event</numerusform>
            <numerusform>%Ln events</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ExplainDialog</name>
    <message numerus="yes">
        <source>Explained are %Ln log(s)</source>
        <translation>
            <numerusform>Explained is %Ln log</numerusform>
            <numerusform>Explained are %Ln logs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::FixesPanel</name>
    <message numerus="yes">
        <source>Show %Ln more that do not apply here</source>
        <translation>
            <numerusform>Show %Ln more that does not apply here</numerusform>
            <numerusform>Show %Ln more that do not apply here</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::IcicleView</name>
    <message numerus="yes">
        <source>%1
%2 (%3), %4 of all, in %Ln allocation(s)</source>
        <translation>
            <numerusform>%1
%2 (%3), %4 of all, in %Ln allocation</numerusform>
            <numerusform>%1
%2 (%3), %4 of all, in %Ln allocations</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::JobAnswer</name>
    <message numerus="yes">
        <source>%Ln missing: %1</source>
        <translation>
            <numerusform>%Ln missing: %1</numerusform>
            <numerusform>%Ln missing: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %Ln rank(s)</source>
        <translation>
            <numerusform>%1 of %Ln rank</numerusform>
            <numerusform>%1 of %Ln ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln dump(s)</source>
        <translation>
            <numerusform>%Ln dump</numerusform>
            <numerusform>%Ln dumps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>reading %Ln dump(s), %1</source>
        <translation>
            <numerusform>reading %Ln dump, %1</numerusform>
            <numerusform>reading %Ln dumps, %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::JobLines</name>
    <message numerus="yes">
        <source>%Ln step(s)</source>
        <translation>
            <numerusform>%Ln step</numerusform>
            <numerusform>%Ln steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::LoadingStrip</name>
    <message numerus="yes">
        <source>%1, %Ln more to come</source>
        <translation>
            <numerusform>%1, %Ln more to come</numerusform>
            <numerusform>%1, %Ln more to come</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::MainWindow</name>
    <message numerus="yes">
        <source>The file is a valid snapshot of %Ln device(s), but it lists no events and no segments: nothing was allocated when it was written, or recording was not switched on in that process.</source>
        <translation>
            <numerusform>The file is a valid snapshot of %Ln device, but it lists no events and no segments: nothing was allocated when it was written, or recording was not switched on in that process.</numerusform>
            <numerusform>The file is a valid snapshot of %Ln devices, but it lists no events and no segments: nothing was allocated when it was written, or recording was not switched on in that process.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Drop %Ln file(s)</source>
        <translation>
            <numerusform>Drop %Ln file</numerusform>
            <numerusform>Drop %Ln files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::MemoryMapPanel</name>
    <message numerus="yes">
        <source>%Ln segment(s)</source>
        <translation>
            <numerusform>%Ln segment</numerusform>
            <numerusform>%Ln segments</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::PlanDialog</name>
    <message numerus="yes">
        <source> sequence(s)</source>
        <translation>
            <numerusform> sequence</numerusform>
            <numerusform> sequences</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> token(s)</source>
        <translation>
            <numerusform> token</numerusform>
            <numerusform> tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RangePanel</name>
    <message numerus="yes">
        <source>After %1 up to %2: %Ln event(s)</source>
        <translation>
            <numerusform>After %1 up to %2: %Ln event</numerusform>
            <numerusform>After %1 up to %2: %Ln events</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RelabelActions</name>
    <message numerus="yes">
        <source>%Ln rule(s) of %1 are applied.</source>
        <translation>
            <numerusform>%Ln rule of %1 is applied.</numerusform>
            <numerusform>%Ln rules of %1 are applied.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RemoteDialog</name>
    <message numerus="yes">
        <source>The newest is first. Selected are the %Ln rank(s) of one job, %1: they open together.</source>
        <translation>
            <numerusform>The newest is first. Selected is the %Ln rank of one job, %1.</numerusform>
            <numerusform>The newest is first. Selected are the %Ln ranks of one job, %1: they open together.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Report</name>
    <message numerus="yes">
        <source>%Ln other line(s)</source>
        <translation>
            <numerusform>%Ln other line</numerusform>
            <numerusform>%Ln other lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %Ln more frame(s)</source>
        <translation>
            <numerusform>and %Ln more frame</numerusform>
            <numerusform>and %Ln more frames</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln allocation(s), together %1.</source>
        <translation>
            <numerusform>%Ln allocation, together %1.</numerusform>
            <numerusform>%Ln allocations, together %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The trace records %Ln refused request(s).</source>
        <translation>
            <numerusform>The trace records %Ln refused request.</numerusform>
            <numerusform>The trace records %Ln refused requests.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The trace records %Ln refused request(s); the last %1 are listed.</source>
        <translation>
            <numerusform>The trace records %Ln refused request; the last %1 are listed.</numerusform>
            <numerusform>The trace records %Ln refused requests; the last %1 are listed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln other place(s)</source>
        <translation>
            <numerusform>%Ln other place</numerusform>
            <numerusform>%Ln other places</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln place(s) where trace and segments contradict each other</source>
        <translation>
            <numerusform>%Ln place where trace and segments contradict each other</numerusform>
            <numerusform>%Ln places where trace and segments contradict each other</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, with %Ln block(s)</source>
        <translation>
            <numerusform>%1, with %Ln block</numerusform>
            <numerusform>%1, with %Ln blocks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %Ln more</source>
        <translation>
            <numerusform>and %Ln more</numerusform>
            <numerusform>and %Ln more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln event(s)</source>
        <translation>
            <numerusform>%Ln event</numerusform>
            <numerusform>%Ln events</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::StacksPanel</name>
    <message numerus="yes">
        <source>%1 in %Ln allocation(s), %2</source>
        <translation>
            <numerusform>%1 in %Ln allocation, %2</numerusform>
            <numerusform>%1 in %Ln allocations, %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 in %Ln allocation(s); the file records no stacks: give _record_memory_history() stacks=&quot;python&quot;.</source>
        <translation>
            <numerusform>%1 in %Ln allocation; the file records no stacks: give _record_memory_history() stacks=&quot;python&quot;.</numerusform>
            <numerusform>%1 in %Ln allocations; the file records no stacks: give _record_memory_history() stacks=&quot;python&quot;.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Timeline</name>
    <message numerus="yes">
        <source>%Ln event(s)</source>
        <translation>
            <numerusform>%Ln event</numerusform>
            <numerusform>%Ln events</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Out of memory, %Ln times</source>
        <translation>
            <numerusform>Out of memory, %Ln times</numerusform>
            <numerusform>Out of memory, %Ln times</numerusform>
        </translation>
    </message>
</context>
</TS>
